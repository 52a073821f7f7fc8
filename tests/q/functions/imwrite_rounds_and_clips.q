imwrite("q_w.png", [[-5,0.4,0.6,300]])
print imread("q_w.png")
% out: [0, 0, 1, 255]
