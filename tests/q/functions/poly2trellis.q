t = poly2trellis(3, [7,5])
print t.numStates, " ", t.numOutputSymbols
print t.nextStates
print t.outputs
t = poly2trellis(7, [171,133])
print size(t.outputs), " ", t.outputs[63,1], " ", t.outputs[5,0], " ", t.outputs[34,1]
% out: 4 4
% out: [[0, 2],
% out:  [0, 2],
% out:  [1, 3],
% out:  [1, 3]]
% out: [[0, 3],
% out:  [3, 0],
% out:  [2, 1],
% out:  [1, 2]]
% out: [64, 2] 3 3 0
