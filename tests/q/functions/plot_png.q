o = plot([0,1,2],[5,3,4],"q_p.png")
x = imread(o.file)
print size(x), " ", x[0,0,0..2]
% out: [420, 640, 3] [255, 255, 255]
