% A lambda whose last call has no output has none either: it can be called where nobody wants a value.
f = () -> disp("shown")
f()
function [] = redraw(n)
    print "redrawn ", n
end
g = n -> n > 2 ? redraw(n) : disp("small")
g(3)
g(1)
h = () -> g(4)
h()
k = () -> (redraw(5); title("t"))
k()
c = x -> hist(x, 2)
print c([1,2,3])
try
    y = g(3)
catch e
    print e.message
end
try
    print 1 + f()
catch e
    print e.message
end
% out: shown
% out: redrawn 3
% out: small
% out: redrawn 4
% out: redrawn 5
% out: [1, 2]
% out: redrawn 3
% out: 'g' has no output to use as a value
% out: shown
% out: 'f' has no output to use as a value
