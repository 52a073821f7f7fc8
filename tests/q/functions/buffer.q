print buffer(1..5, 2), buffer(1..7, 3, 1)
try
    print buffer(1..5, 2, 2)
catch e
    print e
end
% out: [[1, 3, 5],
% out:  [2, 4, 0]][[0, 2, 4, 6],
% out:  [1, 3, 5, 7],
% out:  [2, 4, 6, 0]]
% out: buffer: segments overlap by less than their length
