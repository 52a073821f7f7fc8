print setxor([1,2,3],[3,4]), setxor([1],[1])
% out: [1, 2, 4][]
