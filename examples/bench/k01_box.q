% Mean over a window of 11 x 11 pixels; outside of the image there is black.
function y : cube = box_filter(x : cube)
    N = 5
    y = zeros(size(x))
    {!relaxed for}
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            a = [0.,0.,0.]
            for k = -N..N
                for l = -N..N
                    a += x[m+k,n+l,0..2]
                endfor
            endfor
            y[m,n,0..2] = a / 121
        endfor
    endfor
endfunction

x = ones(20,24,3)
y = box_filter(x)
print y[10,10,0], " ", y[0,0,1]
