x = eye(50)
x[20..22,20..22] = 0
[votes,theta,rho] = hough(x)
p = houghpeaks(votes,1)
l = houghlines(x,theta,rho,p)
print numel(l), " ", l[0].point1, " ", l[0].point2, " ", l[0].theta, " ", l[0].rho
m = houghlines(x,theta,rho,p,"FillGap",3,"MinLength",20)
print numel(m), " ", m[0].point2, " ", m[1].point1, " ", numel(houghlines(zeros(5,5),theta,rho,p))
% out: 1 [0, 0] [49, 49] -45 0
% out: 2 [19, 19] [23, 23] 0
