% Compared with Octave, splines with scipy.interpolate, on the same numbers.
print cat(0,[1,2],[3,4])
print cat(1,[1,2],[3],[4])
print size(cat(2,ones(2,3),zeros(2,3),ones(2,3)))
print sum(cat(2,ones(2,3),zeros(2,3)),2)
try
    y = cat(2,ones(2,2),ones(3,2))
catch message
    print message
end
% out: [[1, 2],
% out:  [3, 4]]
% out: [1, 2, 3, 4]
% out: [2, 3, 3]
% out: [[1, 1, 1],
% out:  [1, 1, 1]]
% out: cat: the layers differ in size
