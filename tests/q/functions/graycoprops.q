% Compared with SciPy (generic_filter, wiener, distances, correlations) and scikit-image (thin, graycoprops, template matching).
x = [[10,20,30,40],[50,60,75,80],[90,15,25,35],[45,55,65,70.0]]
[c,r,e,h] = graycoprops(graycomatrix(x,8))
print c, " ", r, " ", e, " ", h
% out: 0.666667 0.510754 0.180556 0.777778
print graycoprops([[1,0],[0,1]],"contrast").Contrast, " ", graycoprops([[1,0],[0,1]],"all").Energy
% out: 0 0.5
