print round(1000*acot([2,-3])), round(1000*acot(2))
% out: [464, -322]464
