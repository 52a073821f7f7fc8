print round(integral2((x,y) -> x*y, 0, 2, 0, 2))
% out: 4
