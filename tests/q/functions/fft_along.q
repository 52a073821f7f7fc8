% Along a dimension that is named, with and without a length.
x = [[1,2,3],[4,5,7]]
print round(abs(fft(x,[],1)) .* 1000) ./ 1000
print abs(fft(x,[],0))
print abs(fft(x,2,1))
print abs(fft([1,2,3],[],0)), real(ifft(fft(x,[],1),[],1)), " ", abs(fft([1,1],[],1))
try
    print fft(x,[],2)
catch e
    print e
endtry
% out: [[6, 1.732, 1.732],
% out:  [16, 2.646, 2.646]]
% out: [[5, 7, 10],
% out:  [3, 3, 4]]
% out: [[3, 1],
% out:  [9, 1]]
% out: [1, 2, 3][[1, 2, 3],
% out:  [4, 5, 7]] [2, 0]
% out: fft of the columns (dimension 0) or the rows (1) of a matrix, not along dimension 2
