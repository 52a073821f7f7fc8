% `continue` in a parallel loop within loops that run in order: it ends the iteration of its own loop, which is one lane, and leaves
% the loops around it alone.
function [] = table()
    B = ones(12, 12)
    for i = 0..8
        for j = 0..8
            B[i,j] = 2*B[j,i] + 1
            for k = 0..i
                if sum([0, k]) != B[1,j] || B[j+1,i+1] > 2
                    continue
                endif
                B[i,11] = 7
            endfor
        endfor
    endfor
    print sum(B[:])
endfunction
function [] = rows()
    A = reshape(mod((0..99)*7, 11), 10, 10)
    C = zeros(10, 10)
    for i = 1..9
        for j = 0..3
            A[i,j] = A[i-1,j] + A[i,j+1]
            for k = 0..9
                if A[i,k] < 5
                    continue
                endif
                C[j,k] = A[i,k] - k
            endfor
        endfor
    endfor
    print sum(A[:]), " ", sum(C[:]), " ", C[3,9]
endfunction
function [] = both()
    A = reshape(mod((0..99)*7, 11), 10, 10)
    C = zeros(40)
    for i = 1..9
        t = 1.0
        while t < 50*i
            t = t*1.5 + A[i,0]
            for k = 0..35
                if mod(k, 3) == 0
                    continue
                elseif k > t
                    C[k] = t
                    continue
                endif
                C[k] += k
            endfor
        endwhile
        A[i,0] = A[i-1,0] + t
    endfor
    print sum(A[:]), " ", sum(C[:]), " ", C[3]
endfunction
table()
rows()
both()
% out: 486
% out: 1308 513 -2
% out: 11069.6 4097.25 0
