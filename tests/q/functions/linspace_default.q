print numel(linspace(0,1)), linspace(0,1)[99]
% out: 1001
