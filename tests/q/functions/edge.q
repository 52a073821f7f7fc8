x = zeros(3,6)
x[:,3..5] = 9
print edge(x,"sobel",1), edge(x,"canny",[0.1,0.5],1), sum(edge(x,"sobel",100)), sum(edge(zeros(3,3))), sum(edge(zeros(3,3),"canny"))
% out: [[0, 0, 0, 1, 0, 0],
% out:  [0, 0, 0, 1, 0, 0],
% out:  [0, 0, 0, 1, 0, 0]][[0, 0, 0, 1, 0, 0],
% out:  [0, 0, 0, 1, 0, 0],
% out:  [0, 0, 0, 1, 0, 0]]000
