% Compared with SciPy (generic_filter, wiener, distances, correlations) and scikit-image (thin, graycoprops, template matching).
x = [[10,20,30,40],[50,60,75,80],[90,15,25,35],[45,55,65,70.0]]
print graycomatrix([0,255,255],2)
print sum(graycomatrix(x,8,[1,-1]))
[c,r,e,h] = graycoprops(graycomatrix(x,8))
print c, " ", r, " ", e, " ", h
% out: [[0, 1],
% out:  [0, 1]]
% out: 9
% out: 0.666667 0.510754 0.180556 0.777778
print graycomatrix([0,255,255],"NumLevels",2,"Offset",[0,1])
% out: [[0, 1],
% out:  [0, 1]]
