print factorial(5), " ", factorial([0,1,10])
try
    print factorial(-1)
catch e
    print e.message
end
% out: 120 [1, 1, 3628800]
% out: 'factorial' needs whole numbers from 0, not -1
