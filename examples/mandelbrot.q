% The Mandelbrot set: how soon z^2 + c leaves the disc of radius 2.
H = 192; W = 256
steps = zeros(H, W)
for m = 0..H-1
    for n = 0..W-1
        [x, y] = [3.2*n/W - 2.3, 2.4*m/H - 1.2]
        [a, b, k] = [0.0, 0.0, 0]
        while a*a + b*b < 4 && k < 100
            [a, b] = [a*a - b*b + x, 2*a*b + y]
            k += 1
        endwhile
        steps[m,n] = k
    endfor
endfor

inside = steps == 100
print numel(steps[inside]), " of ", numel(steps), " points stay inside"
print "the others leave after ", mean(steps[!inside]), " steps on average"

glow = log(1 + steps)/log(101).*(1 - inside)
image = zeros(H, W, 3)
image[:,:,0] = 255*glow.^1.5
image[:,:,1] = 255*glow.^3
image[:,:,2] = 160*sqrt(glow).*(1 - glow)
imwrite("mandelbrot.png", image)
