print round(1000*asec([2,-3])), round(1000*asec(2))
% out: [1047, 1911]1047
