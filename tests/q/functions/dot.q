% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print dot([1,2,3],[4,5,6])
print dot([[1,2],[3,4]],[[1,2],[3,4]],0)
print dot([1i,2],[1i,2])
% out: 32
% out: [10, 20]
% out: 5+0j
