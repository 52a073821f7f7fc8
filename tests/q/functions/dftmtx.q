n = 5
x = transpose([1, 4, 2, 0, 3])
print round(real(dftmtx(4))), round(imag(dftmtx(4)))
print max(abs(dftmtx(n)*x - fft(x))) < 1e-4
print dftmtx(1)
% out: [[1, 1, 1, 1],
% out:  [1, 0, -1, 0],
% out:  [1, -1, 1, -1],
% out:  [1, 0, -1, 0]][[0, 0, 0, 0],
% out:  [0, -1, 0, 1],
% out:  [0, 0, 0, 0],
% out:  [0, 1, 0, -1]]
% out: 1
% out: [1+0j]
