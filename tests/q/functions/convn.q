print convn([1,2,3], [1,1], "same"), size(convn(ones(3,3,2), ones(2,2,2))), size(convn(ones(3,3,2), ones(2,2,2), "valid")), size(convn(ones(3,3,2), ones(2,2,2), "same"))
% out: [3, 5, 3][4, 4, 3][2, 2][3, 3, 2]
