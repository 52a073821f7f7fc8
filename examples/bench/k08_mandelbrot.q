% Steps until a point leaves the circle of radius 2.
function count : mat[int] = mandelbrot(n : int, limit : int)
    count = mat[int](n,n)
    d = 3.0/n
    for m = 0..n-1
        for p = 0..n-1
            cx = -2 + d*p
            cy = -1.5 + d*m
            x = 0.0
            y = 0.0
            k = 0
            while k < limit && x*x + y*y <= 4
                t = x*x - y*y + cx
                y = 2*x*y + cy
                x = t
                k += 1
            endwhile
            count[m,p] = k
        endfor
    endfor
endfunction

c = mandelbrot(32, 50)
print c[16,10], " ", c[0,0], " ", sum(c)
