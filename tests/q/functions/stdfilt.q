% Compared with SciPy (generic_filter, wiener, distances, correlations) and scikit-image (thin, graycoprops, template matching).
x = [[10,20,30,40],[50,60,75,80],[90,15,25,35],[45,55,65,70.0]]
print stdfilt(x)
% out: [[20.6155, 22.8826, 22.6078, 21.2786],
% out:  [32.1887, 28.3945, 23.863, 22.6078],
% out:  [23.2439, 23.3184, 23.0489, 21.5703],
% out:  [23.5555, 22.3296, 20.5311, 18.6711]]
