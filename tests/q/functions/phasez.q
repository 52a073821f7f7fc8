print size(phasez([1,1], [1], 8))
% out: [1, 8]
