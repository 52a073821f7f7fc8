print cellfun(x -> 2*x, {1,2.5,[1,2]}) % out: {2, 5, [2, 4]}
