% Time loops that swap two arrays add to elements that iterations share: each step to the array whose turn it is.
function [x, y] = steps(count)
    x = mod((0..8)*5, 7)
    y = zeros(9)
    {!serial for}
    for step = 1..count
        for i = 4..-1..0     % par: parallel over (i), accumulates into y
            y[0] += x[1]
        endfor
        [x, y] = [y, x]
    endfor
endfunction
for count = 3..6
    [x, y] = steps(count)
    print x[0], " ", y[0]
endfor
% out: 50 0
% out: 0 50
% out: 75 0
% out: 0 75
