% Heat spreads through a plate from three pieces that are kept hot. No heat leaves at the edges.
function next = diffuse(now : mat'clamped)
    next = zeros(size(now))
    for m = 0..size(now,0)-1
        for n = 0..size(now,1)-1
            around = now[m-1,n] + now[m+1,n] + now[m,n-1] + now[m,n+1]
            next[m,n] = now[m,n] + 0.2*(around - 4*now[m,n])
        endfor
    endfor
endfunction

hot = zeros(128, 192)
hot[20..60,24..30] = 1
hot[90..96,60..150] = 1
hot[30..34,120..170] = 1
plate = hot
for step = 1..300
    plate = max(diffuse(plate), hot)
endfor
print "mean temperature ", mean(plate), ", ", 100*mean(plate > 0.5), " % above one half"

image = zeros(128, 192, 3)
image[:,:,0] = 255*min(1, 2*plate)
image[:,:,1] = 255*max(0, 2*plate - 1)
image[:,:,2] = 160*max(0, 1 - 2*abs(plate - 0.3))
imwrite("heat.png", image)
