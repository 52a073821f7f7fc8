print round(1000*quad(x -> sin(x), 0, pi))
% out: 2000
