print var([1,2,4],[1,1,2]), " ", std([[1,2],[3,5]],[1,3],0), " ", var([[1,2],[3,5]],[3,1]), " ", var([[1,2],[3,5]],[1,3],1)
% out: 1.6875 [0.866025, 1.29904] [0.75, 1.6875] [[0.1875],
% out:  [0.75]]
for bad = {[1,2],[1,-1,2],[0,0,0]}
    try
        print var([1,2,4],bad)
    catch e
        print e
    end
end
% out: 'var' of 1 elements with 2 weights
% out: argument 2 of 'var' needs weights that are not negative, and not all 0, not a 'vec'
% out: argument 2 of 'var' needs weights that are not negative, and not all 0, not a 'vec'
