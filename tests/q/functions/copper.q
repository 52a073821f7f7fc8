print copper(2)
% out: [[0, 0, 0],
% out:  [1, 0.7812, 0.4975]]
