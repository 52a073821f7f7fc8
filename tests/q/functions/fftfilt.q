print fftfilt([1,1], [1,2,3])
% out: [1, 3, 5]
