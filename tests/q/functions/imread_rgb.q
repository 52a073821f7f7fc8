imwrite("q_r.pgm", [[7,8]])
x = imread("q_r.pgm","rgb")
print size(x), " ", x[0,1,0..2]
% out: [1, 2, 3] [8, 8, 8]
