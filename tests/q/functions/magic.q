% Compared with Octave, splines with scipy.interpolate, on the same numbers.
function ok = fine(n)
  m = magic(n)
  c = n*(n*n+1)/2
  ok = all(sum(m,0)==c) && all(sum(m,1)==c) && trace(m)==c && trace(fliplr(m))==c && all(sort(reshape(m,[1,n*n])) == (1..n*n))
end
print magic(3)
print magic(4)
print fine(4)
print fine(5)
print fine(6)
print fine(7)
print fine(8)
print fine(10)
print fine(14)
% out: [[8, 1, 6],
% out:  [3, 5, 7],
% out:  [4, 9, 2]]
% out: [[16, 2, 3, 13],
% out:  [5, 11, 10, 8],
% out:  [9, 7, 6, 12],
% out:  [4, 14, 15, 1]]
% out: 1
% out: 1
% out: 1
% out: 1
% out: 1
% out: 1
% out: 1
