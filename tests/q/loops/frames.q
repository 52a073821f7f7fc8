% What a loop leaves of an array of zeros is zeros, whatever lay there before.
% out: 510 0 0 0 0
% out: 510 0 0 0 0
% out: 510 0 0 0 0
% out: 7936 0 0 0 0
% out: 7936 0 0 0 0
% out: 7936 0 0 0 0
% out: 19600 0 0 0 0
% out: 19600 0 0 0 0
% out: 19600 0 0 0 0
% out: 977200 0 0 0 0
% out: 977200 0 0 0 0
% out: 977200 0 0 0 0
% out: 45150 0 0 0 300
% out: 24000000 0 0
% out: integer overflow in 1000000 * 2147483647
% out: integer overflow in 1000000 * 2147483647
% out: integer overflow in 1000000 * 2147483647
% out: integer overflow in 1000000 * 2147483647
% out: 79800000000 900
function y : mat = inner(x : mat, h : int, w : int)
    y = zeros(h, w)
    for m = 1..h-2
        for n = 2..w-2
            y[m,n] = x[m,n] + x[m-1,n-1]
        endfor
    endfor
endfunction
function y : vec[int] = every(x : vec[int])
    y = vec[int](2 * numel(x) + 3)
    for i = 0..numel(x)-1
        y[2*i + 1] = x[i]
    endfor
endfunction
function y : cube[uint8] = one_of_three(x : mat)
    y = cube[uint8](size(x,0), size(x,1), 3)
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n,1] = 200
        endfor
    endfor
endfunction
function y : vec[int] = stops(x : vec[int])
    y = vec[int](600)
    for i = 0..499
        y[i+50] = 1000000*x[i]
    endfor
endfunction
for size_ = [17, 64, 100, 700]
    x = ones(size_, size_ + 3)
    for r = 1..3
        z = 5*ones(size_, size_ + 3)
        y = inner(x, size_, size_ + 3)
        print sum(y[:]), " ", sum(y[0,:]), " ", sum(y[:,1]), " ", sum(y[size_-1,:]), " ", sum(y[:,size_+2])
    endfor
endfor
p = vec[int](300)
for i = 0..299
    p[i] = i + 1
endfor
y = every(p)
print sum(y), " ", y[0], " ", y[602], " ", y[2], " ", y[599]
c = one_of_three(ones(300, 400))
print sum(c[:]), " ", sum(sum(c[:,:,0])), " ", c[7,9,2]
q = vec[int](600)
for i = 0..499
    q[i] = i
endfor
q[400] = 2147483647
for r = 1..3
    try
        y = stops(q)
        print "ran"
    catch e
        print e.message
    endtry
endfor

% What a loop that stops has begun with is there again.
k = vec[int](900)
try
    for i = 0..599
        k[i+200] = 1000000*q[i]
    endfor
catch e
    print e.message
endtry
print sum(k), " ", numel(k)
