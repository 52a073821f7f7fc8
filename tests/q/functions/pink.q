print size(pink(8))
% out: [8, 3]
