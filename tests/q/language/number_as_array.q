% A number is an array of one element: what programs read from results that may be one number.
function y = first(x)
    y = x[0]
end
x = 5
print x[0], " ", x[0,0], " ", x[:], " ", type(x[0])
m = median([3,1,2])
print m[0]/2
print (2+1j)[0]
print first(7), " ", first([8,9])
print x[[0,0]]
try
    print x[1]
catch e
    print e
end
% out: 5 5 [5] int
% out: 1
% out: 2+1j
% out: 7 8
% out: [5, 5]
% out: index 1 is out of bounds (0..0) in 'x'
% So is what is stored in it.
x[0] = 7
print x
x[:] = 8
print x
function y = stored_first(x)
    x[0] = 2*x[0]
    y = x
end
print stored_first(4), " ", x
try
    x[1] = 3
catch e
    print e
end
try
    x[0] = 1j
catch e
    print e
end
% out: 7
% out: 8
% out: 8 8
% out: index 1 is out of bounds (0..0) in 'x'
% out: cannot store a 'cscalar' in 'x', whose elements are 'int'
