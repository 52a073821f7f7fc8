% Arrays that iterations assign as a whole, in loops whose iterations need each other: an array of the loop's own takes the values.
% On the processor each loop is one program.
function [q, r] = orthogonal(a)
    [m, n] = size(a)
    q = zeros(m, n)
    r = zeros(n, n)
    for j = 0..n-1
        v = a[:,j]
        for i = 0..j-1
            r[i,j] = dotprod(q[:,i], v)
            v = v - r[i,j]*q[:,i]
        endfor
        r[j,j] = sqrt(sum(v.*v))
        q[:,j] = v/r[j,j]
    endfor
endfunction
% A state and a covariance that iterations hand on, small matrices and long ones; elements are stored between.
function [s, p, seen] = filtered(z : vec)
    f = [[1.0, 1.0], [0.0, 1.0]]
    noise = [[0.01, 0.0], [0.0, 0.01]]
    p = [[1.0, 0.0], [0.0, 1.0]]
    s = transpose([0.0, 0.0])
    seen = zeros(numel(z))
    for k = 0..numel(z)-1
        s = f*s
        p = f*p*transpose(f) + noise
        y = z[k] - s[0,0]
        gain = p[0,0]/(p[0,0] + 1.0)
        slow = p[1,0]/(p[0,0] + 1.0)
        s[0,0] += gain*y
        s[1,0] += slow*y
        p = [[(1-gain)*p[0,0], (1-gain)*p[0,1]], [p[1,0] - slow*p[0,0], p[1,1] - slow*p[0,1]]]
        seen[k] = s[0,0]
    endfor
endfunction
% A momentum that changes in place, under a condition, beside a name for what was there before the loop.
function [x, before, count] = descended(goal : vec, steps : int)
    x = zeros(numel(goal))
    before = x
    speed = zeros(numel(goal))
    count = 0
    for t = 1..steps
        step = x - goal
        speed = 0.5*speed - 0.25*step
        if sum(abs(speed)) > 0.001
            x += speed
            count += 1
        endif
    endfor
endfunction
% Kept from one iteration to the next, and set within a loop within; integers.
function [last, total] = sieved(rows)
    last = 0*rows[0,:]
    total = 0
    for i = 0..size(rows,0)-1
        for k = 0..2
            other = rows[i,:] - last
            last = mod(other*2 + k - last, 64)
        endfor
        last = last - rows[i,:]
        total = mod(total + last[1] + max(last), 10007)
    endfor
endfunction
a = reshape(mod((0..60*40-1)*7, 23)/4 - 2, 60, 40)
for i = 0..39
    a[i,i] += 20
endfor
[q, r] = orthogonal(a)
print sum(sum(abs(transpose(q)*q - eye(40)))) < 0.01, " ", max(abs(q*r - a)) < 0.001
[s, p, seen] = filtered(mod((0..999)*7, 23)/4)
print round(100*s), " ", round(1000*p), " ", round(100*seen[0..5])
[x, before, count] = descended(mod(0..99, 7)*1.0, 200)
print round(100*x[0..8]), " ", sum(before), " ", count
[last, total] = sieved(reshape(mod((0..399)*5, 9), 80, 5))
print total
% out: 1 1
% out: [[215],
% out:  [-15]] [[369, 79],
% out:  [79, 46]] [0, 117, 285, 466, 352, 359]
% out: [0, 100, 200, 300, 400, 500, 600, 0, 100] 0 33
% out: 6201
