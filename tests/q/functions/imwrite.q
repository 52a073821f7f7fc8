imwrite("q_16.png", [[0,1000,65535]], 16)
print imread("q_16.png")
% out: [0, 1000, 65535]
