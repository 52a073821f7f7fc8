% Elementary functions of many numbers.
function [r : vec, t : vec] = polar(x : vec, y : vec)
    r = zeros(numel(x))
    t = zeros(numel(x))
    for i = 0..numel(x)-1
        r[i] = sqrt(x[i]^2 + y[i]^2)
        t[i] = atan2(y[i], x[i])
    endfor
endfunction

function z : vec = waves(x : vec, y : vec)
    z = zeros(numel(x))
    for i = 0..numel(x)-1
        z[i] = sin(10*x[i])*cos(7*y[i]) + tan(0.5*x[i])
    endfor
endfunction

function y : vec = gamma_curve(x : vec)
    y = zeros(numel(x))
    for i = 0..numel(x)-1
        y[i] = x[i] <= 0.0031308 ? 12.92*x[i] : 1.055*x[i]^0.41666667 - 0.055
    endfor
endfunction

function [y : vec, z : vec] = activations(x : vec)
    y = zeros(numel(x))
    z = zeros(numel(x))
    for i = 0..numel(x)-1
        v = 8*x[i] - 4
        y[i] = tanh(v)
        z[i] = log(1 + exp(v))
    endfor
endfunction

function y : vec = angles(x : vec)
    y = zeros(numel(x))
    for i = 0..numel(x)-1
        v = 2*x[i] - 1
        y[i] = round(100*(asin(v) + acos(v*v)))
    endfor
endfunction
