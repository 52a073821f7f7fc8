% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print atanh([0,0.5,-0.999])
% out: [0, 0.549306, -3.80021]
