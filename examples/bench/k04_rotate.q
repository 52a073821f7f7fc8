% Turns points about the origin, in place.
function [] = rotate(x : vec, y : vec, angle : scalar)
    c = cos(angle)
    s = sin(angle)
    for i = 0..numel(x)-1
        [a, b] = [x[i], y[i]]
        x[i] = a*c - b*s
        y[i] = a*s + b*c
    endfor
endfunction

x = ones(20)
y = zeros(20)
rotate(x, y, pi/2)
print round(x[7]), " ", round(y[7])
