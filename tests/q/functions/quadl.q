print round(quadl(t -> t.^2, 0, 3))
% out: 9
