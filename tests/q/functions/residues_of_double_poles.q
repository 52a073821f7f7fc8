% Poles that occur more than once, of which residue said so and residuez gave wrong numbers. Octave gives the same.
[r, p, k] = residuez([1,0,-1], [1,-6,9])
print round(10000*r)/10000, " ", p, " ", round(10000*k)/10000
[r, p] = residuez([1], conv([1,-0.5], conv([1,-0.5], [1,0.25])))
print round(10000*r)/10000, " ", round(10000*p)/10000
[r, p] = residue([1,2], [1,2,1])
print r, " ", p
[r, p] = residue([1,0,2], [2,6,6,2])
print round(1000*r)/1000
[r, p] = residue([1], conv([1,0,1], [1,0,1]))
print round(1000*abs(r)), " ", round(1000*real(sum(r .* p))), " ", abs(sum(p)) < 1e-6
% out: [0.2222, 0.8889] [3, 3] [-0.1111]
% out: [0.1111, 0.2222, 0.6667] [-0.25, 0.5, 0.5]
% out: [1, 1] [-1, -1]
% out: [0.5, -1, 1.5]
% out: [250, 250, 250, 250] 500 1
