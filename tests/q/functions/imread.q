imwrite("q_i.pgm", [[0,128],[255,64]])
x = imread("q_i.pgm")
print x, " ", type(x)
% out: [[0, 128],
% out:  [255, 64]] mat
