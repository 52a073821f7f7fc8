print times([1,2],[3,4]), " ", cellfun(times,{1,2},{3,4})
% out: [3, 8] {3, 8}
