% Reductions, sorting and linear algebra.
A = [[3,1],[2,4]]
print sum(A), " ", sum(A,0), " ", sum(A,1)
print prod([1,2,3,4]), " ", mean(A), " ", mean(A,0)
print max(A), " ", max(A,[],0), " ", min(A,[],1)
print cumsum([1,2,3]), " ", cumprod([1,2,3]), " ", cumsum(A)
print var([1,2,3,4]), " ", std([2,2]), " ", median([3,1,2,10])
[s, i] = sort([3,1,2])
print s, " ", i
print sort(A)
print find([[0,1],[1,0]])
print unique([3,1,3,2,1]), " ", hist([0,1,2,3],2)
print any([0,0]), all([1,1]), " ", dotprod([1,2,3],[4,5,6])
print A * [[1],[1]], " ", [1,1] * A
print A^2, " ", A.^2
print det(A), " ", trace(A), " ", rank([[1,2],[2,4]])
print A * inv(A) - eye(2) < 0.0001
print solve([[2,0],[0,4]], [2,8])
print norm([3,4]), " ", cross([1,0,0],[0,1,0])
print kron([1,2],[1,1]), " ", chol([[4,0],[0,9]])
[V, d] = symeig([[2,0],[0,1]])
print d
print diag([[1,2],[3,4]]), " ", transpose([[1,2],[3,4]])
print fliplr([1,2,3]), " ", flipud([[1],[2]]), " ", circshift([1,2,3,4],1)
print horzcat([1,2],[3]), " ", vertcat([1,2],[3,4])
print repmat([[1,2]],2,1), " ", size(permute(ones(2,3,4),[2,0,1])), " ", size(squeeze(ones(1,1,3)))
print linspace(0,1,3), " ", eye(2,3)
print real(ifft1(fft1([1,2,3,4]))), " ", abs(fft1([1,0,0,0]))
print conv([1,2],[1,1]), " ", imfilter([1,2,3], [1,1,1])
print ind2pos([3,4,5],37), " ", pos2ind([3,4,5],[1,3,2])
% out: 10 [5, 5] [[4],
% out:  [6]]
% out: 24 2.5 [2.5, 2.5]
% out: 4 [3, 4] [[1],
% out:  [2]]
% out: [1, 3, 6] [1, 2, 6] [[3, 1],
% out:  [5, 5]]
% out: 1.25 0 2.5
% out: [1, 2, 3] [1, 2, 0]
% out: [[2, 1],
% out:  [3, 4]]
% out: [[0, 1],
% out:  [1, 0]]
% out: [1, 2, 3] [2, 2]
% out: 01 32
% out: [[4],
% out:  [6]] [5, 5]
% out: [[11, 7],
% out:  [14, 18]] [[9, 1],
% out:  [4, 16]]
% out: 10 7 1
% out: [[1, 1],
% out:  [1, 1]]
% out: [1, 2]
% out: 5 [0, 0, 1]
% out: [1, 1, 2, 2] [[2, 0],
% out:  [0, 3]]
% out: [1, 2]
% out: [1, 4] [[1, 3],
% out:  [2, 4]]
% out: [3, 2, 1] [[2],
% out:  [1]] [4, 1, 2, 3]
% out: [1, 2, 3] [[1, 2],
% out:  [3, 4]]
% out: [[1, 2],
% out:  [1, 2]] [4, 2, 3] [1, 3]
% out: [0, 0.5, 1] [[1, 0, 0],
% out:  [0, 1, 0]]
% out: [1, 2, 3, 4] [1, 1, 1, 1]
% out: [1, 3, 2] [5, 6, 7]
% out: [1, 3, 2] 37
