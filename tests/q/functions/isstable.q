print isstable([1], [1,-0.5]), isstable([1], [1,-1.5]), isstable([1,2], [1])
% out: 101
