print round(fminunc(t -> (t[0]-1)^2, [0]) .* 100)
% out: [100]
