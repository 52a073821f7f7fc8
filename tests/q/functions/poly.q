print poly([1,2]), " ", round(poly([[1,2],[3,4]]))
% out: [1, -3, 2] [1, -5, -2]
