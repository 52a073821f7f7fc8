x = zeros(8,8)
x[:,4..7] = 100
x[2,2] = 8
y = imdiffusefilt(x)
print y[2,2] < 4, y[0,0] < 0.01, y[0,7] > 99.9, " ", size(imdiffusefilt(zeros(4,5,3),"NumberOfIterations",2)), " ", max(imdiffusefilt(ones(3,3),"ConductionMethod","quadratic","Connectivity","minimal"))
% out: 101 [4, 5, 3] 1
