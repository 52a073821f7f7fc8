print numel(rcosdesign(0.25, 4, 3))
% out: 13
