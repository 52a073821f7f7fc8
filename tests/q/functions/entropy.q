% Compared with SciPy (generic_filter, wiener, distances, correlations) and scikit-image (thin, graycoprops, template matching).
x = [[10,20,30,40],[50,60,75,80],[90,15,25,35],[45,55,65,70.0]]
print entropy(x)
% out: 4
