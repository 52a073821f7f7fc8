% Sums, counts and differences of bytes and halves, in lanes of as few bits, widened before they could overflow.
function y : vec[int] = along_rows(x : mat[uint8], z : mat[uint8])
    y = vec[int](size(x,0))
    for i = 0..size(x,0)-1
        s = 1
        t = 0
        for j = 0..size(x,1)-1
            s += abs(x[i,j] - z[i,j])
            if x[i,j] > 200
                t += 1
            endif
        endfor
        y[i] = 100*s + t
    endfor
endfunction
function y : vec[int] = along_columns(x : mat[uint8], z : mat[uint8])
    y = vec[int](size(x,1))
    for i = 0..size(x,1)-1
        s = 0
        for j = 0..size(x,0)-1
            s += x[j,i]
            s -= z[j,i]*3
        endfor
        y[i] = s
    endfor
endfunction
function [s : int, n : int] = of_all(x : mat[uint8], z : mat[uint8])
    s = 0
    n = 0
    for i = 0..size(x,0)-1
        for j = 0..size(x,1)-1
            s += x[i,j]*z[i,j]
            if x[i,j] != z[i,j]
                n += 1
            endif
        endfor
    endfor
endfunction
function y : vec[int] = of_halves(x : mat[int16])
    y = vec[int](size(x,0))
    for i = 0..size(x,0)-1
        s = 0
        t = 0
        for j = 0..size(x,1)-1
            s -= x[i,j]
            t += shr(x[i,j], 12)
        endfor
        y[i] = s + t
    endfor
endfunction
function s : int = of_a_vector(x : vec[uint8])
    s = 0
    for i = 0..numel(x)-1
        s += max(x[i], 254)
    endfor
endfunction

function [] = main()
    for w = [5, 100, 4200, 17000]
        x = mat[uint8](40, w)
        z = mat[uint8](40, w)
        h = mat[int16](40, w)
        for i = 0..39
            for j = 0..w-1
                x[i,j] = j < 4000 ? 255 : mod(i*7 + j*13, 256)
                z[i,j] = mod(i*i + 3*j, 97) < 3 ? 9 : 0
                h[i,j] = j < 4000 ? -32768 : i*300 - 2000
            endfor
        endfor
        a = along_rows(x, z)
        b = along_columns(x, z)
        [s, n] = of_all(x, z)
        c = of_halves(h)
        print(a[0], " ", a[39], " ", b[0], " ", b[w-1], " ", s, " ", n, " ", c[0], " ", c[39], " ", of_a_vector(vec[uint8](x[3,:])))
    endfor
endfunction
% out: 126705 127605 10119 10173 22950 200 163800 163800 1275
% out: 2546600 2547500 10119 10173 291465 4000 3276000 3276000 25500
% out: 104409942 104417142 10119 5004 11639034 167968 131439800 129100400 1070801
% out: 267265292 267281492 10119 4950 29840760 677965 157027000 4966000 4322051
