print hist([0,0.4,0.6,9,nan],[0,1,2]), " ", hist(zeros(0),[0,1])
try
    print hist([1],[2,1])
catch e
    print e.message
end
% out: [2, 1, 1] [0, 0]
% out: argument 2 of 'hist' needs a number of bins, or their centres in ascending order, not a 'vec'
