imwrite("q_4.png", reshape(0..15,2,2,4))
x = imread("q_4.png")
print size(x), " ", x[1,1,3]
% out: [2, 2, 4] 15
