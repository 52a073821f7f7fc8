x = zeros(3,6)
x[:,3..5] = 9
% With a step in between no two columns are equally steep.
z = copy(x)
z[:,2] = 4
print edge(x,"sobel",1), edge(z,"canny",[0.1,0.5],1), sum(edge(x,"sobel",100)), sum(edge(zeros(3,3))), sum(edge(zeros(3,3),"canny"))
% out: [[0, 0, 0, 1, 0, 0],
% out:  [0, 0, 0, 1, 0, 0],
% out:  [0, 0, 0, 1, 0, 0]][[0, 0, 1, 0, 0, 0],
% out:  [0, 0, 1, 0, 0, 0],
% out:  [0, 0, 1, 0, 0, 0]]000
[y,used,gv,gh] = edge(x,"sobel")
print size(gv), " ", max(abs(gv)) > 0, " ", max(abs(gh))
% out: [3, 6] 1 0
