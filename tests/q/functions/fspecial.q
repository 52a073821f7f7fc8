% Worked out by hand, or from the formula in the function's description.
print fspecial("average")
print fspecial("average",[1,2])
print fspecial("gaussian",3,0.5)
print fspecial("laplacian")
print fspecial("log",3,0.5)
print fspecial("sobel")
print fspecial("prewitt")
print fspecial("unsharp")
print fspecial("motion",3,0)
print fspecial("disk",1)
try
    y = fspecial("nothing")
catch message
    print message
end
% out: [[0.111111, 0.111111, 0.111111],
% out:  [0.111111, 0.111111, 0.111111],
% out:  [0.111111, 0.111111, 0.111111]]
% out: [0.5, 0.5]
% out: [[0.0113437, 0.0838195, 0.0113437],
% out:  [0.0838195, 0.619347, 0.0838195],
% out:  [0.0113437, 0.0838195, 0.0113437]]
% out: [[0.166667, 0.666667, 0.166667],
% out:  [0.666667, -3.33333, 0.666667],
% out:  [0.166667, 0.666667, 0.166667]]
% out: [[0.403756, 0.802062, 0.403756],
% out:  [0.802062, -4.82327, 0.802062],
% out:  [0.403756, 0.802062, 0.403756]]
% out: [[1, 2, 1],
% out:  [0, 0, 0],
% out:  [-1, -2, -1]]
% out: [[1, 1, 1],
% out:  [0, 0, 0],
% out:  [-1, -1, -1]]
% out: [[-0.166667, -0.666667, -0.166667],
% out:  [-0.666667, 4.33333, -0.666667],
% out:  [-0.166667, -0.666667, -0.166667]]
% out: [0.333333, 0.333333, 0.333333]
% out: [[0.0267983, 0.143865, 0.0267983],
% out:  [0.143865, 0.317348, 0.143865],
% out:  [0.0267983, 0.143865, 0.0267983]]
% out: fspecial knows no mask "nothing": average, gaussian, laplacian, log, sobel, prewitt, unsharp, disk or motion
