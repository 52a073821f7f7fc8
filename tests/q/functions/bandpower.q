print bandpower([1,-1,1,-1])
% out: 1
