% A parallel loop that becomes no kernel is carried out by the host, and the loops within it run on devices on their own: with what
% lies outside of an array as in the loop around.
% falls back: the for-loop
function d = differences(x, most)
    d = zeros(3, most)
    for k = 0..2  % par: parallel over (k)
        part = zeros(most)
        for lag = 0..most-1
            sum_ = 0.0
            for j = 0..49
                sum_ += abs(x[k*10+j] - x[k*10+j+lag])
            endfor
            part[lag] = sum_
        endfor
        d[k,:] = part
    endfor
endfunction
x = mod((0..159)*7, 11)
d = differences(x, 100)
print d[0,0], " ", d[1,3], " ", d[2,99], " ", sum(d)  % out: 0 95 47 54227
