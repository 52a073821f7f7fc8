[h,theta,rho] = hough(eye(4))
print size(h), " ", max(h), " ", theta[0], " ", rho[0]
print hough([[1,0],[0,0]],[0,45])
% out: [11, 180] 4 -90 -5
% out: [[0, 0],
% out:  [0, 0],
% out:  [1, 1],
% out:  [0, 0],
% out:  [0, 0]]
