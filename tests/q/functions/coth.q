print round(1000*coth([1,-2])), round(1000*coth(1))
% out: [1313, -1037]1313
