print cellfun(length,{[1,2],[3],"abc"}), " ", cellfun(isnumeric,{1,"a"}), " ", cellfun("length",{[1,2,3],[]}), " ", feval("gray",2), " ", arrayfun(isprime,[2,4])
% out: {2, 1, 3} {1, 0} {3, 0} [[0, 0, 0],
% out:  [1, 1, 1]] [1, 0]
