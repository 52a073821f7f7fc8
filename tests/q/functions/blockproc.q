% Compared with SciPy (generic_filter, wiener, distances, correlations) and scikit-image (thin, graycoprops, template matching).
x = [[10,20,30,40],[50,60,75,80],[90,15,25,35],[45,55,65,70.0]]
print blockproc(x,[2,2], v -> mean(v))
print blockproc(x,[3,3], v -> v + 1)
% out: [[35, 56.25],
% out:  [51.25, 48.75]]
% out: [[11, 21, 31, 41],
% out:  [51, 61, 76, 81],
% out:  [91, 16, 26, 36],
% out:  [46, 56, 66, 71]]
