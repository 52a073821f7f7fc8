% The numbers are Octave's.
[z, p, k] = buttap(3)
print isempty(z), " ", k, " ", size(p), " ", round(1000*transpose(real(p))), " ", round(1000*transpose(imag(p)))
% out: 1 1 [3, 1] [-500, -1000, -500] [866, 0, -866]
