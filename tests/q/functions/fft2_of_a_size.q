% Compared with numpy.fft on the same numbers.
print real(fft2([[1,2],[3,4]], 1, 2)), real(fft2([[1,2]], 2, 4)), abs(fft1([1,2,3], 2)), real(ifft1(fft1([1,2], 4)))
print real(ifft2(fft2([[1,2],[3,4]]), 2, 2)), size(fft3(ones(2,2,2), 3, 4, 5)), dct([1,2,3], 2), idct(dct([1,2]), 2)
for n=[0,-1]
    try
        y = fft1([1,2,3], n)
    catch message
        print message
    end
end
try
    y = fft2([1,2,3], 2)
catch message
    print message
end
try
    y = fft1([1,2,3], 2000000000)
catch message
    print message
end
% out: [3, -1][[3, 1, -1, 1],
% out:  [3, 1, -1, 1]][3, 1][1, 2, 0, 0]
% out: [[1, 2],
% out:  [3, 4]][3, 4, 5][2.12132, -0.707107][1, 2]
% out: argument 2 of 'fft1' needs a size from 1, not a 'scalar'
% out: argument 2 of 'fft1' needs a size from 1, not a 'scalar'
% out: 'fft2' needs an array and the sizes of its last 2 dimensions
% out: out of memory: 'fft1' of such sizes
