% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print round(1000*cot(1))
% out: 642
