% Rows of few vectors, whose first and last ones alone leave the image: the others have code of their own, in one, two and three axes.
function y : cube = mean27(x : cube'clamped)
    y = zeros(size(x))
    for i = 0..size(x,0)-1     % par: parallel over (i, j, k)
        for j = 0..size(x,1)-1
            for k = 0..size(x,2)-1
                s = 0.0
                for a = -1..1
                    for b = -1..1
                        for c = -1..1
                            s += x[i+a,j+b,k+c]
                        endfor
                    endfor
                endfor
                y[i,j,k] = s
            endfor
        endfor
    endfor
endfunction
function y : mat = cross(x : mat'mirror)
    y = zeros(size(x))
    for m = 0..size(x,0)-1     % par: parallel over (m, n)
        for n = 0..size(x,1)-1
            y[m,n] = 4*x[m,n] - x[m-2,n] - x[m+2,n] - x[m,n-2] - x[m,n+2]
        endfor
    endfor
endfunction
function y : vec = ends(x : vec)
    y = zeros(numel(x))
    for n = 0..numel(x)-1     % par: parallel over (n)
        v = 8*x[n]
        if n >= 3
            v -= x[n-3]
        endif
        if n + 5 < numel(x)
            v -= x[n+5]
        endif
        y[n] = v
    endfor
endfunction
for w = [70, 80, 96, 100]
    x = mod(reshape(0..7*6*w-1, [7, 6, w])*29, 61)
    z = mean27(x)
    v = mod(reshape(0..9*w-1, [9, w])*31, 53)
    u = cross(v)
    t = ends(mod((0..w-1)*17, 41))
    print w, ": ", sum(z[:] .* mod(0..7*6*w-1, 13)), " ", z[0,0,0], " ", z[6,5,w-1], " ", z[3,2,16], " ", sum(u[:] .* mod(0..9*w-1, 7)), " ", u[8,w-1], " ", sum(t .* mod(0..w-1, 5)), " ", t[w-1]
endfor
% out: 70: 14281829 600 815 846 24 112 17561 185
% out: 80: 16317328 387 1098 920 298 -26 20737 227
% out: 96: 19598014 644 892 770 373 50 25129 122
% out: 100: 20413216 510 688 824 491 16 25805 -17
