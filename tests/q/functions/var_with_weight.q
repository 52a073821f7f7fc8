m = [[1,2],[3,6]]
print var(m,0,0), " ", var(m,1,0), " ", std([1,3],[],1), " ", std([5],0,1)
try
    print var(m,2,0)
catch e
    print e.message
end
% out: [2, 8] [1, 4] [1.41421] [0]
% out: argument 2 of 'var' needs 0, 1, [] or a weight for each element, not a 'int'
