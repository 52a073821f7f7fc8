% Windows that loops add up, at borders that have code of their own too, in one to three axes. The numbers are small integers, so that every order is exact.
function y : cube = around(x : cube'clamped)
    y = zeros(size(x))
    for i = 0..size(x,0)-1
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
function y : mat = tall(x : mat'clamped)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = 0.0
            for k = -4..4
                s += x[m+k,n]
            endfor
            y[m,n] = s/2
        endfor
    endfor
endfunction
function y : mat = wide(x : mat)
    y = zeros(size(x))
    for m = 2..size(x,0)-3
        for n = 3..size(x,1)-4
            s = 100.0
            for k = -2..2
                for l = -3..3
                    s += x[m+k,n+l]
                endfor
            endfor
            y[m,n] = x[m,n] - s
        endfor
    endfor
endfunction
x = zeros(9,20,70)
z = zeros(40,150)
{!serial for}
for i = 0..8
    for j = 0..19
        for k = 0..69
            x[i,j,k] = mod(i*31 + j*17 + k*k, 13) - 6
        endfor
    endfor
endfor
{!serial for}
for m = 0..39
    for n = 0..149
        z[m,n] = mod(m*m + n*7, 11) - 5
    endfor
endfor
a = around(x)
b = tall(z)
c = wide(z)
wrong = 0
{!serial for}
for i = 0..8
    for j = 0..19
        for k = 0..69
            s = 0
            for p = 0..26
                s = s + x[min(max(i + int(p/9) - 1, 0), 8), min(max(j + mod(int(p/3), 3) - 1, 0), 19), min(max(k + mod(p, 3) - 1, 0), 69)]
            endfor
            if a[i,j,k] != s
                wrong = wrong + 1
            endif
        endfor
    endfor
endfor
{!serial for}
for m = 0..39
    for n = 0..149
        s = 0
        for p = -4..4
            s = s + z[min(max(m + p, 0), 39), n]
        endfor
        t = 0
        if m >= 2 && m < 38 && n >= 3 && n < 147
            t = z[m,n] - 100
            for p = 0..34
                t = t - z[m + int(p/7) - 2, n + mod(p, 7) - 3]
            endfor
        endif
        if b[m,n] != s/2 || c[m,n] != t
            wrong = wrong + 1
        endif
    endfor
endfor
print wrong, " ", sum(sum(abs(b))) > 0, " ", sum(sum(abs(c))) > 0        % out: 0 1 1
