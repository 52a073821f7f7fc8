print ifftshift([-2,-1,0,1,2]), " ", ifftshift(fftshift([[1,2,3],[4,5,6]]))
% out: [0, 1, 2, -2, -1] [[1, 2, 3],
% out:  [4, 5, 6]]
