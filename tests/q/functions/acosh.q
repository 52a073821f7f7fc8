% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print acosh([1,2,100])
% out: [0, 1.31696, 5.29829]
