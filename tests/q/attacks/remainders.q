% Remainders as subscripts: of floats with quotients beyond 2^24, of negative and zero divisors, of quotients, and their products and
% differences, which lie outside where each factor lies inside.
function [] = __kernel__ r0(y : vec, x : vec, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[mod(f, 5)]
endfunction
function [] = __kernel__ r1(y : vec, x : vec'safe, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[mod(f, 5)]
endfunction
function [] = __kernel__ r2(y : vec, x : vec'clamped, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[mod(f, 5)]
endfunction
function [] = __kernel__ r3(y : vec, x : vec'circular, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[mod(f, 5)]
endfunction
function [] = __kernel__ r4(y : vec, x : vec'mirror, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[mod(f, 5)]
endfunction
function [] = __kernel__ r5(y : vec, x : vec'safe, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[mod(f, -5)]
endfunction
function [] = __kernel__ r6(y : vec, x : vec'circular, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[mod(f, -5)]
endfunction
function [] = __kernel__ r7(y : vec, x : vec'clamped, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[rem(f, 5)]
endfunction
function [] = __kernel__ r8(y : vec, x : vec'mirror, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[rem(f, 5)]
endfunction
function [] = __kernel__ r9(y : vec, x : vec'circular, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[rem(f, -5)]
endfunction
function [] = __kernel__ r10(y : vec, x : vec, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[rem(f, -5)]
endfunction
function [] = __kernel__ r11(y : vec, x : vec, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[mod(f*8.0, 5)]
endfunction
function [] = __kernel__ r12(y : vec, x : vec'safe, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[mod(f*8.0, 5)]
endfunction
function [] = __kernel__ r13(y : vec, x : vec'clamped, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[mod(f*8.0, 5)]
endfunction
function [] = __kernel__ r14(y : vec, x : vec'circular, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[mod(f*8.0, 5)]
endfunction
function [] = __kernel__ r15(y : vec, x : vec'mirror, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[mod(f*8.0, 5)]
endfunction
function [] = __kernel__ r16(y : vec, x : vec, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[mod(-f, 5.0)]
endfunction
function [] = __kernel__ r17(y : vec, x : vec'clamped, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[mod(-f, 5.0)]
endfunction
function [] = __kernel__ r18(y : vec, x : vec'safe, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[int(mod(f, 5.5))]
endfunction
function [] = __kernel__ r19(y : vec, x : vec'circular, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[int(mod(f, 5.5))]
endfunction
function [] = __kernel__ r20(y : vec, x : vec'clamped, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[int(rem(f, 5.5))]
endfunction
function [] = __kernel__ r21(y : vec, x : vec'mirror, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[int(rem(f, 5.5))]
endfunction
function [] = __kernel__ r22(y : vec, x : vec, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[int(mod(f, 0.0))]
endfunction
function [] = __kernel__ r23(y : vec, x : vec'safe, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[int(mod(f, 0.0))]
endfunction
function [] = __kernel__ r24(y : vec, x : vec'clamped, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[int(mod(f, 0.0))]
endfunction
function [] = __kernel__ r25(y : vec, x : vec'circular, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[int(mod(f, 0.0))]
endfunction
function [] = __kernel__ r26(y : vec, x : vec'mirror, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[int(mod(f, 0.0))]
endfunction
function [] = __kernel__ r27(y : vec, x : vec'mirror, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[int(rem(f*16.0, 5))]
endfunction
function [] = __kernel__ r28(y : vec, x : vec'safe, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[int(rem(f*16.0, 5))]
endfunction
function [] = __kernel__ r29(y : vec, x : vec, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[mod(n, 5) + rem(n, 5)]
endfunction
function [] = __kernel__ r30(y : vec, x : vec'clamped, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[mod(n, 5) + rem(n, 5)]
endfunction
function [] = __kernel__ r31(y : vec, x : vec'safe, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[rem(n, 5)]
endfunction
function [] = __kernel__ r32(y : vec, x : vec'circular, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[rem(n, 5)]
endfunction
function [] = __kernel__ r33(y : vec, x : vec, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[rem(n, -5)]
endfunction
function [] = __kernel__ r34(y : vec, x : vec'safe, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[rem(n, -5)]
endfunction
function [] = __kernel__ r35(y : vec, x : vec'clamped, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[rem(n, -5)]
endfunction
function [] = __kernel__ r36(y : vec, x : vec'circular, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[rem(n, -5)]
endfunction
function [] = __kernel__ r37(y : vec, x : vec'mirror, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[rem(n, -5)]
endfunction
function [] = __kernel__ r38(y : vec, x : vec'circular, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[mod(n, -5)]
endfunction
function [] = __kernel__ r39(y : vec, x : vec, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[mod(n, -5)]
endfunction
function [] = __kernel__ r40(y : vec, x : vec'mirror, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[mod(n - 1, 5) - 1]
endfunction
function [] = __kernel__ r41(y : vec, x : vec'safe, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[mod(n - 1, 5) - 1]
endfunction
function [] = __kernel__ r42(y : vec, x : vec, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[mod(n*n, 5)]
endfunction
function [] = __kernel__ r43(y : vec, x : vec'clamped, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[mod(n*n, 5)]
endfunction
function [] = __kernel__ r44(y : vec, x : vec, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[idivide(n, 7, "floor")]
endfunction
function [] = __kernel__ r45(y : vec, x : vec'safe, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[idivide(n, 7, "floor")]
endfunction
function [] = __kernel__ r46(y : vec, x : vec'clamped, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[idivide(n, 7, "floor")]
endfunction
function [] = __kernel__ r47(y : vec, x : vec'circular, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[idivide(n, 7, "floor")]
endfunction
function [] = __kernel__ r48(y : vec, x : vec'mirror, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[idivide(n, 7, "floor")]
endfunction
function [] = __kernel__ r49(y : vec, x : vec'clamped, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[idivide(n, -7, "ceil")]
endfunction
function [] = __kernel__ r50(y : vec, x : vec'mirror, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[idivide(n, -7, "ceil")]
endfunction
function [] = __kernel__ r51(y : vec, x : vec'circular, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[mod(idivide(n, 3), 6)]
endfunction
function [] = __kernel__ r52(y : vec, x : vec, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[mod(idivide(n, 3), 6)]
endfunction
function [] = __kernel__ r53(y : vec, x : vec'mirror, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[rem(idivide(n, -3), 5)]
endfunction
function [] = __kernel__ r54(y : vec, x : vec'safe, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[rem(idivide(n, -3), 5)]
endfunction
function [] = __kernel__ r55(y : vec, x : vec, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[mod(n, 4) * mod(k, 4)]
endfunction
function [] = __kernel__ r56(y : vec, x : vec'safe, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[mod(n, 4) * mod(k, 4)]
endfunction
function [] = __kernel__ r57(y : vec, x : vec'clamped, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[mod(n, 4) * mod(k, 4)]
endfunction
function [] = __kernel__ r58(y : vec, x : vec'circular, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[mod(n, 4) * mod(k, 4)]
endfunction
function [] = __kernel__ r59(y : vec, x : vec'mirror, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[mod(n, 4) * mod(k, 4)]
endfunction
function [] = __kernel__ r60(y : vec, x : vec'safe, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[mod(n, 3) - mod(k, 3)]
endfunction
function [] = __kernel__ r61(y : vec, x : vec'circular, n : int, k : int, f : scalar, pos : int)
    y[pos] = x[mod(n, 3) - mod(k, 3)]
endfunction
function [] = attempt(what, k)
    numbers = [0, -1, 4, 5, 1073741824]
    floats = [2.5, -0.25, 258812678.0, -258812678.0, 16777217.0*1024]
    for i = 0..4
        y = zeros(3)
        try
            parallel_do(3, y, [1,2,3,4,5], numbers[i], 3 - i, floats[i], k)
            print what, " ", i, ": ", y
        catch ex
            print what, " ", i, ": ", ex.message
        endtry
    endfor
endfunction
attempt("mod(f, 5) as declared", r0)
attempt("mod(f, 5) safe", r1)
attempt("mod(f, 5) clamped", r2)
attempt("mod(f, 5) circular", r3)
attempt("mod(f, 5) mirror", r4)
attempt("mod(f, -5) safe", r5)
attempt("mod(f, -5) circular", r6)
attempt("rem(f, 5) clamped", r7)
attempt("rem(f, 5) mirror", r8)
attempt("rem(f, -5) circular", r9)
attempt("rem(f, -5) as declared", r10)
attempt("mod(f*8.0, 5) as declared", r11)
attempt("mod(f*8.0, 5) safe", r12)
attempt("mod(f*8.0, 5) clamped", r13)
attempt("mod(f*8.0, 5) circular", r14)
attempt("mod(f*8.0, 5) mirror", r15)
attempt("mod(-f, 5.0) as declared", r16)
attempt("mod(-f, 5.0) clamped", r17)
attempt("int(mod(f, 5.5)) safe", r18)
attempt("int(mod(f, 5.5)) circular", r19)
attempt("int(rem(f, 5.5)) clamped", r20)
attempt("int(rem(f, 5.5)) mirror", r21)
attempt("int(mod(f, 0.0)) as declared", r22)
attempt("int(mod(f, 0.0)) safe", r23)
attempt("int(mod(f, 0.0)) clamped", r24)
attempt("int(mod(f, 0.0)) circular", r25)
attempt("int(mod(f, 0.0)) mirror", r26)
attempt("int(rem(f*16.0, 5)) mirror", r27)
attempt("int(rem(f*16.0, 5)) safe", r28)
attempt("mod(n, 5) + rem(n, 5) as declared", r29)
attempt("mod(n, 5) + rem(n, 5) clamped", r30)
attempt("rem(n, 5) safe", r31)
attempt("rem(n, 5) circular", r32)
attempt("rem(n, -5) as declared", r33)
attempt("rem(n, -5) safe", r34)
attempt("rem(n, -5) clamped", r35)
attempt("rem(n, -5) circular", r36)
attempt("rem(n, -5) mirror", r37)
attempt("mod(n, -5) circular", r38)
attempt("mod(n, -5) as declared", r39)
attempt("mod(n - 1, 5) - 1 mirror", r40)
attempt("mod(n - 1, 5) - 1 safe", r41)
attempt("mod(n*n, 5) as declared", r42)
attempt("mod(n*n, 5) clamped", r43)
attempt("idivide(n, 7, floor) as declared", r44)
attempt("idivide(n, 7, floor) safe", r45)
attempt("idivide(n, 7, floor) clamped", r46)
attempt("idivide(n, 7, floor) circular", r47)
attempt("idivide(n, 7, floor) mirror", r48)
attempt("idivide(n, -7, ceil) clamped", r49)
attempt("idivide(n, -7, ceil) mirror", r50)
attempt("mod(idivide(n, 3), 6) circular", r51)
attempt("mod(idivide(n, 3), 6) as declared", r52)
attempt("rem(idivide(n, -3), 5) mirror", r53)
attempt("rem(idivide(n, -3), 5) safe", r54)
attempt("mod(n, 4) * mod(k, 4) as declared", r55)
attempt("mod(n, 4) * mod(k, 4) safe", r56)
attempt("mod(n, 4) * mod(k, 4) clamped", r57)
attempt("mod(n, 4) * mod(k, 4) circular", r58)
attempt("mod(n, 4) * mod(k, 4) mirror", r59)
attempt("mod(n, 3) - mod(k, 3) safe", r60)
attempt("mod(n, 3) - mod(k, 3) circular", r61)
% out: mod(f, 5) as declared 0: [3, 3, 3]
% out: mod(f, 5) as declared 1: [5, 5, 5]
% out: mod(f, 5) as declared 2: [3, 3, 3]
% out: mod(f, 5) as declared 3: [4, 4, 4]
% out: mod(f, 5) as declared 4: [5, 5, 5]
% out: mod(f, 5) safe 0: [3, 3, 3]
% out: mod(f, 5) safe 1: [5, 5, 5]
% out: mod(f, 5) safe 2: [3, 3, 3]
% out: mod(f, 5) safe 3: [4, 4, 4]
% out: mod(f, 5) safe 4: [5, 5, 5]
% out: mod(f, 5) clamped 0: [3, 3, 3]
% out: mod(f, 5) clamped 1: [5, 5, 5]
% out: mod(f, 5) clamped 2: [3, 3, 3]
% out: mod(f, 5) clamped 3: [4, 4, 4]
% out: mod(f, 5) clamped 4: [5, 5, 5]
% out: mod(f, 5) circular 0: [3, 3, 3]
% out: mod(f, 5) circular 1: [5, 5, 5]
% out: mod(f, 5) circular 2: [3, 3, 3]
% out: mod(f, 5) circular 3: [4, 4, 4]
% out: mod(f, 5) circular 4: [5, 5, 5]
% out: mod(f, 5) mirror 0: [3, 3, 3]
% out: mod(f, 5) mirror 1: [5, 5, 5]
% out: mod(f, 5) mirror 2: [3, 3, 3]
% out: mod(f, 5) mirror 3: [4, 4, 4]
% out: mod(f, 5) mirror 4: [5, 5, 5]
% out: mod(f, -5) safe 0: [0, 0, 0]
% out: mod(f, -5) safe 1: [1, 1, 1]
% out: mod(f, -5) safe 2: [0, 0, 0]
% out: mod(f, -5) safe 3: [0, 0, 0]
% out: mod(f, -5) safe 4: [0, 0, 0]
% out: mod(f, -5) circular 0: [4, 4, 4]
% out: mod(f, -5) circular 1: [1, 1, 1]
% out: mod(f, -5) circular 2: [3, 3, 3]
% out: mod(f, -5) circular 3: [4, 4, 4]
% out: mod(f, -5) circular 4: [5, 5, 5]
% out: rem(f, 5) clamped 0: [3, 3, 3]
% out: rem(f, 5) clamped 1: [1, 1, 1]
% out: rem(f, 5) clamped 2: [3, 3, 3]
% out: rem(f, 5) clamped 3: [1, 1, 1]
% out: rem(f, 5) clamped 4: [5, 5, 5]
% out: rem(f, 5) mirror 0: [3, 3, 3]
% out: rem(f, 5) mirror 1: [1, 1, 1]
% out: rem(f, 5) mirror 2: [3, 3, 3]
% out: rem(f, 5) mirror 3: [3, 3, 3]
% out: rem(f, 5) mirror 4: [5, 5, 5]
% out: rem(f, -5) circular 0: [3, 3, 3]
% out: rem(f, -5) circular 1: [1, 1, 1]
% out: rem(f, -5) circular 2: [3, 3, 3]
% out: rem(f, -5) circular 3: [4, 4, 4]
% out: rem(f, -5) circular 4: [5, 5, 5]
% out: rem(f, -5) as declared 0: [3, 3, 3]
% out: rem(f, -5) as declared 1: [1, 1, 1]
% out: rem(f, -5) as declared 2: [3, 3, 3]
% out: rem(f, -5) as declared 3: [0, 0, 0]
% out: rem(f, -5) as declared 4: [5, 5, 5]
% out: mod(f*8.0, 5) as declared 0: [1, 1, 1]
% out: mod(f*8.0, 5) as declared 1: [4, 4, 4]
% out: mod(f*8.0, 5) as declared 2: [2, 2, 2]
% out: mod(f*8.0, 5) as declared 3: [5, 5, 5]
% out: mod(f*8.0, 5) as declared 4: [3, 3, 3]
% out: mod(f*8.0, 5) safe 0: [1, 1, 1]
% out: mod(f*8.0, 5) safe 1: [4, 4, 4]
% out: mod(f*8.0, 5) safe 2: [2, 2, 2]
% out: mod(f*8.0, 5) safe 3: [5, 5, 5]
% out: mod(f*8.0, 5) safe 4: [3, 3, 3]
% out: mod(f*8.0, 5) clamped 0: [1, 1, 1]
% out: mod(f*8.0, 5) clamped 1: [4, 4, 4]
% out: mod(f*8.0, 5) clamped 2: [2, 2, 2]
% out: mod(f*8.0, 5) clamped 3: [5, 5, 5]
% out: mod(f*8.0, 5) clamped 4: [3, 3, 3]
% out: mod(f*8.0, 5) circular 0: [1, 1, 1]
% out: mod(f*8.0, 5) circular 1: [4, 4, 4]
% out: mod(f*8.0, 5) circular 2: [2, 2, 2]
% out: mod(f*8.0, 5) circular 3: [5, 5, 5]
% out: mod(f*8.0, 5) circular 4: [3, 3, 3]
% out: mod(f*8.0, 5) mirror 0: [1, 1, 1]
% out: mod(f*8.0, 5) mirror 1: [4, 4, 4]
% out: mod(f*8.0, 5) mirror 2: [2, 2, 2]
% out: mod(f*8.0, 5) mirror 3: [5, 5, 5]
% out: mod(f*8.0, 5) mirror 4: [3, 3, 3]
% out: mod(-f, 5.0) as declared 0: [3, 3, 3]
% out: mod(-f, 5.0) as declared 1: [1, 1, 1]
% out: mod(-f, 5.0) as declared 2: [4, 4, 4]
% out: mod(-f, 5.0) as declared 3: [3, 3, 3]
% out: mod(-f, 5.0) as declared 4: [2, 2, 2]
% out: mod(-f, 5.0) clamped 0: [3, 3, 3]
% out: mod(-f, 5.0) clamped 1: [1, 1, 1]
% out: mod(-f, 5.0) clamped 2: [4, 4, 4]
% out: mod(-f, 5.0) clamped 3: [3, 3, 3]
% out: mod(-f, 5.0) clamped 4: [2, 2, 2]
% out: int(mod(f, 5.5)) safe 0: [3, 3, 3]
% out: int(mod(f, 5.5)) safe 1: [0, 0, 0]
% out: int(mod(f, 5.5)) safe 2: [3, 3, 3]
% out: int(mod(f, 5.5)) safe 3: [4, 4, 4]
% out: int(mod(f, 5.5)) safe 4: [0, 0, 0]
% out: int(mod(f, 5.5)) circular 0: [3, 3, 3]
% out: int(mod(f, 5.5)) circular 1: [1, 1, 1]
% out: int(mod(f, 5.5)) circular 2: [3, 3, 3]
% out: int(mod(f, 5.5)) circular 3: [4, 4, 4]
% out: int(mod(f, 5.5)) circular 4: [1, 1, 1]
% out: int(rem(f, 5.5)) clamped 0: [3, 3, 3]
% out: int(rem(f, 5.5)) clamped 1: [1, 1, 1]
% out: int(rem(f, 5.5)) clamped 2: [3, 3, 3]
% out: int(rem(f, 5.5)) clamped 3: [1, 1, 1]
% out: int(rem(f, 5.5)) clamped 4: [5, 5, 5]
% out: int(rem(f, 5.5)) mirror 0: [3, 3, 3]
% out: int(rem(f, 5.5)) mirror 1: [1, 1, 1]
% out: int(rem(f, 5.5)) mirror 2: [3, 3, 3]
% out: int(rem(f, 5.5)) mirror 3: [3, 3, 3]
% out: int(rem(f, 5.5)) mirror 4: [4, 4, 4]
% out: int(mod(f, 0.0)) as declared 0: [3, 3, 3]
% out: int(mod(f, 0.0)) as declared 1: [1, 1, 1]
% out: int(mod(f, 0.0)) as declared 2: [0, 0, 0]
% out: int(mod(f, 0.0)) as declared 3: [0, 0, 0]
% out: int(mod(f, 0.0)) as declared 4: value 17179869184 does not fit in int
% out: int(mod(f, 0.0)) safe 0: [3, 3, 3]
% out: int(mod(f, 0.0)) safe 1: [1, 1, 1]
% out: int(mod(f, 0.0)) safe 2: [0, 0, 0]
% out: int(mod(f, 0.0)) safe 3: [0, 0, 0]
% out: int(mod(f, 0.0)) safe 4: value 17179869184 does not fit in int
% out: int(mod(f, 0.0)) clamped 0: [3, 3, 3]
% out: int(mod(f, 0.0)) clamped 1: [1, 1, 1]
% out: int(mod(f, 0.0)) clamped 2: [5, 5, 5]
% out: int(mod(f, 0.0)) clamped 3: [1, 1, 1]
% out: int(mod(f, 0.0)) clamped 4: value 17179869184 does not fit in int
% out: int(mod(f, 0.0)) circular 0: [3, 3, 3]
% out: int(mod(f, 0.0)) circular 1: [1, 1, 1]
% out: int(mod(f, 0.0)) circular 2: [3, 3, 3]
% out: int(mod(f, 0.0)) circular 3: [4, 4, 4]
% out: int(mod(f, 0.0)) circular 4: value 17179869184 does not fit in int
% out: int(mod(f, 0.0)) mirror 0: [3, 3, 3]
% out: int(mod(f, 0.0)) mirror 1: [1, 1, 1]
% out: int(mod(f, 0.0)) mirror 2: [1, 1, 1]
% out: int(mod(f, 0.0)) mirror 3: [1, 1, 1]
% out: int(mod(f, 0.0)) mirror 4: value 17179869184 does not fit in int
% out: int(rem(f*16.0, 5)) mirror 0: [1, 1, 1]
% out: int(rem(f*16.0, 5)) mirror 1: [5, 5, 5]
% out: int(rem(f*16.0, 5)) mirror 2: [3, 3, 3]
% out: int(rem(f*16.0, 5)) mirror 3: [3, 3, 3]
% out: int(rem(f*16.0, 5)) mirror 4: [5, 5, 5]
% out: int(rem(f*16.0, 5)) safe 0: [1, 1, 1]
% out: int(rem(f*16.0, 5)) safe 1: [0, 0, 0]
% out: int(rem(f*16.0, 5)) safe 2: [3, 3, 3]
% out: int(rem(f*16.0, 5)) safe 3: [0, 0, 0]
% out: int(rem(f*16.0, 5)) safe 4: [5, 5, 5]
% out: mod(n, 5) + rem(n, 5) as declared 0: [1, 1, 1]
% out: mod(n, 5) + rem(n, 5) as declared 1: [4, 4, 4]
% out: mod(n, 5) + rem(n, 5) as declared 2: [0, 0, 0]
% out: mod(n, 5) + rem(n, 5) as declared 3: [1, 1, 1]
% out: mod(n, 5) + rem(n, 5) as declared 4: [0, 0, 0]
% out: mod(n, 5) + rem(n, 5) clamped 0: [1, 1, 1]
% out: mod(n, 5) + rem(n, 5) clamped 1: [4, 4, 4]
% out: mod(n, 5) + rem(n, 5) clamped 2: [5, 5, 5]
% out: mod(n, 5) + rem(n, 5) clamped 3: [1, 1, 1]
% out: mod(n, 5) + rem(n, 5) clamped 4: [5, 5, 5]
% out: rem(n, 5) safe 0: [1, 1, 1]
% out: rem(n, 5) safe 1: [0, 0, 0]
% out: rem(n, 5) safe 2: [5, 5, 5]
% out: rem(n, 5) safe 3: [1, 1, 1]
% out: rem(n, 5) safe 4: [5, 5, 5]
% out: rem(n, 5) circular 0: [1, 1, 1]
% out: rem(n, 5) circular 1: [5, 5, 5]
% out: rem(n, 5) circular 2: [5, 5, 5]
% out: rem(n, 5) circular 3: [1, 1, 1]
% out: rem(n, 5) circular 4: [5, 5, 5]
% out: rem(n, -5) as declared 0: [1, 1, 1]
% out: rem(n, -5) as declared 1: [0, 0, 0]
% out: rem(n, -5) as declared 2: [5, 5, 5]
% out: rem(n, -5) as declared 3: [1, 1, 1]
% out: rem(n, -5) as declared 4: [5, 5, 5]
% out: rem(n, -5) safe 0: [1, 1, 1]
% out: rem(n, -5) safe 1: [0, 0, 0]
% out: rem(n, -5) safe 2: [5, 5, 5]
% out: rem(n, -5) safe 3: [1, 1, 1]
% out: rem(n, -5) safe 4: [5, 5, 5]
% out: rem(n, -5) clamped 0: [1, 1, 1]
% out: rem(n, -5) clamped 1: [1, 1, 1]
% out: rem(n, -5) clamped 2: [5, 5, 5]
% out: rem(n, -5) clamped 3: [1, 1, 1]
% out: rem(n, -5) clamped 4: [5, 5, 5]
% out: rem(n, -5) circular 0: [1, 1, 1]
% out: rem(n, -5) circular 1: [5, 5, 5]
% out: rem(n, -5) circular 2: [5, 5, 5]
% out: rem(n, -5) circular 3: [1, 1, 1]
% out: rem(n, -5) circular 4: [5, 5, 5]
% out: rem(n, -5) mirror 0: [1, 1, 1]
% out: rem(n, -5) mirror 1: [2, 2, 2]
% out: rem(n, -5) mirror 2: [5, 5, 5]
% out: rem(n, -5) mirror 3: [1, 1, 1]
% out: rem(n, -5) mirror 4: [5, 5, 5]
% out: mod(n, -5) circular 0: [1, 1, 1]
% out: mod(n, -5) circular 1: [5, 5, 5]
% out: mod(n, -5) circular 2: [5, 5, 5]
% out: mod(n, -5) circular 3: [1, 1, 1]
% out: mod(n, -5) circular 4: [5, 5, 5]
% out: mod(n, -5) as declared 0: [1, 1, 1]
% out: mod(n, -5) as declared 1: [0, 0, 0]
% out: mod(n, -5) as declared 2: [0, 0, 0]
% out: mod(n, -5) as declared 3: [1, 1, 1]
% out: mod(n, -5) as declared 4: [0, 0, 0]
% out: mod(n - 1, 5) - 1 mirror 0: [4, 4, 4]
% out: mod(n - 1, 5) - 1 mirror 1: [3, 3, 3]
% out: mod(n - 1, 5) - 1 mirror 2: [3, 3, 3]
% out: mod(n - 1, 5) - 1 mirror 3: [4, 4, 4]
% out: mod(n - 1, 5) - 1 mirror 4: [3, 3, 3]
% out: mod(n - 1, 5) - 1 safe 0: [4, 4, 4]
% out: mod(n - 1, 5) - 1 safe 1: [3, 3, 3]
% out: mod(n - 1, 5) - 1 safe 2: [3, 3, 3]
% out: mod(n - 1, 5) - 1 safe 3: [4, 4, 4]
% out: mod(n - 1, 5) - 1 safe 4: [3, 3, 3]
% out: mod(n*n, 5) as declared 0: [1, 1, 1]
% out: mod(n*n, 5) as declared 1: [2, 2, 2]
% out: mod(n*n, 5) as declared 2: [2, 2, 2]
% out: mod(n*n, 5) as declared 3: [1, 1, 1]
% out: mod(n*n, 5) as declared 4: [1, 1, 1]
% out: mod(n*n, 5) clamped 0: [1, 1, 1]
% out: mod(n*n, 5) clamped 1: [2, 2, 2]
% out: mod(n*n, 5) clamped 2: [2, 2, 2]
% out: mod(n*n, 5) clamped 3: [1, 1, 1]
% out: mod(n*n, 5) clamped 4: [1, 1, 1]
% out: idivide(n, 7, floor) as declared 0: [1, 1, 1]
% out: idivide(n, 7, floor) as declared 1: [0, 0, 0]
% out: idivide(n, 7, floor) as declared 2: [1, 1, 1]
% out: idivide(n, 7, floor) as declared 3: [1, 1, 1]
% out: idivide(n, 7, floor) as declared 4: [0, 0, 0]
% out: idivide(n, 7, floor) safe 0: [1, 1, 1]
% out: idivide(n, 7, floor) safe 1: [0, 0, 0]
% out: idivide(n, 7, floor) safe 2: [1, 1, 1]
% out: idivide(n, 7, floor) safe 3: [1, 1, 1]
% out: idivide(n, 7, floor) safe 4: [0, 0, 0]
% out: idivide(n, 7, floor) clamped 0: [1, 1, 1]
% out: idivide(n, 7, floor) clamped 1: [1, 1, 1]
% out: idivide(n, 7, floor) clamped 2: [1, 1, 1]
% out: idivide(n, 7, floor) clamped 3: [1, 1, 1]
% out: idivide(n, 7, floor) clamped 4: [5, 5, 5]
% out: idivide(n, 7, floor) circular 0: [1, 1, 1]
% out: idivide(n, 7, floor) circular 1: [5, 5, 5]
% out: idivide(n, 7, floor) circular 2: [1, 1, 1]
% out: idivide(n, 7, floor) circular 3: [1, 1, 1]
% out: idivide(n, 7, floor) circular 4: [5, 5, 5]
% out: idivide(n, 7, floor) mirror 0: [1, 1, 1]
% out: idivide(n, 7, floor) mirror 1: [2, 2, 2]
% out: idivide(n, 7, floor) mirror 2: [1, 1, 1]
% out: idivide(n, 7, floor) mirror 3: [1, 1, 1]
% out: idivide(n, 7, floor) mirror 4: [2, 2, 2]
% out: idivide(n, -7, ceil) clamped 0: [1, 1, 1]
% out: idivide(n, -7, ceil) clamped 1: [2, 2, 2]
% out: idivide(n, -7, ceil) clamped 2: [1, 1, 1]
% out: idivide(n, -7, ceil) clamped 3: [1, 1, 1]
% out: idivide(n, -7, ceil) clamped 4: [1, 1, 1]
% out: idivide(n, -7, ceil) mirror 0: [1, 1, 1]
% out: idivide(n, -7, ceil) mirror 1: [2, 2, 2]
% out: idivide(n, -7, ceil) mirror 2: [1, 1, 1]
% out: idivide(n, -7, ceil) mirror 3: [1, 1, 1]
% out: idivide(n, -7, ceil) mirror 4: [2, 2, 2]
% out: mod(idivide(n, 3), 6) circular 0: [1, 1, 1]
% out: mod(idivide(n, 3), 6) circular 1: [1, 1, 1]
% out: mod(idivide(n, 3), 6) circular 2: [2, 2, 2]
% out: mod(idivide(n, 3), 6) circular 3: [2, 2, 2]
% out: mod(idivide(n, 3), 6) circular 4: [4, 4, 4]
% out: mod(idivide(n, 3), 6) as declared 0: [1, 1, 1]
% out: mod(idivide(n, 3), 6) as declared 1: [1, 1, 1]
% out: mod(idivide(n, 3), 6) as declared 2: [2, 2, 2]
% out: mod(idivide(n, 3), 6) as declared 3: [2, 2, 2]
% out: mod(idivide(n, 3), 6) as declared 4: [4, 4, 4]
% out: rem(idivide(n, -3), 5) mirror 0: [1, 1, 1]
% out: rem(idivide(n, -3), 5) mirror 1: [1, 1, 1]
% out: rem(idivide(n, -3), 5) mirror 2: [2, 2, 2]
% out: rem(idivide(n, -3), 5) mirror 3: [2, 2, 2]
% out: rem(idivide(n, -3), 5) mirror 4: [2, 2, 2]
% out: rem(idivide(n, -3), 5) safe 0: [1, 1, 1]
% out: rem(idivide(n, -3), 5) safe 1: [1, 1, 1]
% out: rem(idivide(n, -3), 5) safe 2: [0, 0, 0]
% out: rem(idivide(n, -3), 5) safe 3: [0, 0, 0]
% out: rem(idivide(n, -3), 5) safe 4: [0, 0, 0]
% out: mod(n, 4) * mod(k, 4) as declared 0: [1, 1, 1]
% out: mod(n, 4) * mod(k, 4) as declared 1: [0, 0, 0]
% out: mod(n, 4) * mod(k, 4) as declared 2: [1, 1, 1]
% out: mod(n, 4) * mod(k, 4) as declared 3: [1, 1, 1]
% out: mod(n, 4) * mod(k, 4) as declared 4: [1, 1, 1]
% out: mod(n, 4) * mod(k, 4) safe 0: [1, 1, 1]
% out: mod(n, 4) * mod(k, 4) safe 1: [0, 0, 0]
% out: mod(n, 4) * mod(k, 4) safe 2: [1, 1, 1]
% out: mod(n, 4) * mod(k, 4) safe 3: [1, 1, 1]
% out: mod(n, 4) * mod(k, 4) safe 4: [1, 1, 1]
% out: mod(n, 4) * mod(k, 4) clamped 0: [1, 1, 1]
% out: mod(n, 4) * mod(k, 4) clamped 1: [5, 5, 5]
% out: mod(n, 4) * mod(k, 4) clamped 2: [1, 1, 1]
% out: mod(n, 4) * mod(k, 4) clamped 3: [1, 1, 1]
% out: mod(n, 4) * mod(k, 4) clamped 4: [1, 1, 1]
% out: mod(n, 4) * mod(k, 4) circular 0: [1, 1, 1]
% out: mod(n, 4) * mod(k, 4) circular 1: [2, 2, 2]
% out: mod(n, 4) * mod(k, 4) circular 2: [1, 1, 1]
% out: mod(n, 4) * mod(k, 4) circular 3: [1, 1, 1]
% out: mod(n, 4) * mod(k, 4) circular 4: [1, 1, 1]
% out: mod(n, 4) * mod(k, 4) mirror 0: [1, 1, 1]
% out: mod(n, 4) * mod(k, 4) mirror 1: [3, 3, 3]
% out: mod(n, 4) * mod(k, 4) mirror 2: [1, 1, 1]
% out: mod(n, 4) * mod(k, 4) mirror 3: [1, 1, 1]
% out: mod(n, 4) * mod(k, 4) mirror 4: [1, 1, 1]
% out: mod(n, 3) - mod(k, 3) safe 0: [1, 1, 1]
% out: mod(n, 3) - mod(k, 3) safe 1: [1, 1, 1]
% out: mod(n, 3) - mod(k, 3) safe 2: [1, 1, 1]
% out: mod(n, 3) - mod(k, 3) safe 3: [3, 3, 3]
% out: mod(n, 3) - mod(k, 3) safe 4: [0, 0, 0]
% out: mod(n, 3) - mod(k, 3) circular 0: [1, 1, 1]
% out: mod(n, 3) - mod(k, 3) circular 1: [1, 1, 1]
% out: mod(n, 3) - mod(k, 3) circular 2: [1, 1, 1]
% out: mod(n, 3) - mod(k, 3) circular 3: [3, 3, 3]
% out: mod(n, 3) - mod(k, 3) circular 4: [5, 5, 5]
