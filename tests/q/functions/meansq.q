print meansq([1,2,3]), " ", meansq([[1,2],[3,4]],0), " ", meansq([3+4j])
% out: 4.66667 [5, 10] 25
