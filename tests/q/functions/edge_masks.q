% Other masks, directions as words, the threshold that was used, zero crossings of the Laplacian.
x = zeros(9,9)
x[3..6,2..6] = 100
[y, t] = edge(x, "sobel", "vertical")
print sum(y,0), t
[y, t] = edge(x, "Prewitt", [], "horizontal")
print sum(y,1)
print sum(edge(x, "roberts"), 0), sum(edge(x, "log"), 0)
print bwmorph(edge(x, "prewitt", 3), "endpoints")[4,:], sum(bwmorph(eye(3), "spur"))
print fspecial("motion", 5, 0), round(fspecial("motion", 5, 45) .* 1000)
% out: [0, 0, 2, 0, 0, 0, 0, 2, 0]40.0617
% out: [[0],
% out:  [0],
% out:  [0],
% out:  [3],
% out:  [0],
% out:  [0],
% out:  [0],
% out:  [3],
% out:  [0]]
% out: [0, 3, 2, 2, 2, 2, 3, 0, 0][0, 2, 2, 2, 2, 2, 2, 2, 0]
% out: [0, 0, 0, 0, 0, 0, 0, 1, 0]1
% out: [0.2, 0.2, 0.2, 0.2, 0.2][[0, 0, 0, 50, 30],
% out:  [0, 0, 52, 177, 50],
% out:  [0, 52, 177, 52, 0],
% out:  [50, 177, 52, 0, 0],
% out:  [30, 50, 0, 0, 0]]
