% Compared with scipy.special and scipy.stats, nthroot, iqr and mad with Octave, on the same numbers.
print nthroot([-27,8,0,inf,-inf],3)
print nthroot(16,4)
try
    y = nthroot(-4,2)
catch message
    print message
end
% out: [-3, 2, 0, Inf, -Inf]
% out: 2
% out: nthroot: a negative number has no real root of even order 2
