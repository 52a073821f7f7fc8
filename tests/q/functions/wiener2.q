% Compared with SciPy (generic_filter, wiener, distances, correlations) and scikit-image (thin, graycoprops, template matching).
x = [[10,20,30,40],[50,60,75,80],[90,15,25,35],[45,55,65,70.0]]
print wiener2(x)
% out: [[15.5556, 27.2222, 33.308, 28.2602],
% out:  [30.7812, 41.6667, 42.2222, 34.1943],
% out:  [44.6616, 53.3333, 53.3333, 37.8852],
% out:  [27.2192, 36.9075, 29.4444, 21.6667]]
