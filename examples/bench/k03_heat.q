% Heat spreads over a plate whose border keeps its temperature.
function a : mat = heat(start : mat, steps : int)
    a = copy(start)
    b = copy(start)
    for step = 1..steps
        for m = 1..size(a,0)-2
            for n = 1..size(a,1)-2
                s = a[m-1,n-1] + a[m-1,n] + a[m-1,n+1] + a[m,n-1] + a[m,n+1] + a[m+1,n-1] + a[m+1,n] + a[m+1,n+1]
                b[m,n] = a[m,n] - 0.25*(a[m,n] - s*0.125)
            endfor
        endfor
        [a, b] = [b, a]
    endfor
endfunction

plate = zeros(8,8)
plate[3,4] = 100
plate = heat(plate, 10)
print plate[3,4], " ", plate[0,0]
