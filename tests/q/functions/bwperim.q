% Compared with SciPy (generic_filter, wiener, distances, correlations) and scikit-image (thin, graycoprops, template matching).
b = [[1,1,1,0,0],[1,1,1,0,1],[1,1,1,0,0],[0,0,0,0,1]]
print bwperim(b)
% out: [[1, 1, 1, 0, 0],
% out:  [1, 0, 1, 0, 1],
% out:  [1, 1, 1, 0, 0],
% out:  [0, 0, 0, 0, 1]]
