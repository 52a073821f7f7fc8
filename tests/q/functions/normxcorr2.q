% Compared with SciPy (generic_filter, wiener, distances, correlations) and scikit-image (thin, graycoprops, template matching).
x = [[10,20,30,40],[50,60,75,80],[90,15,25,35],[45,55,65,70.0]]
print round(10000 .* normxcorr2([[60,75],[15,25]], x)) ./ 10000
% out: [[-0.4402, -0.8123, -0.8902, -0.9182, -0.675],
% out:  [-0.3082, -0.8753, -0.8564, -0.9025, -0.5058],
% out:  [-0.0337, -0.0688, 1, 0.9897, 0.0909],
% out:  [0.5364, -0.1495, -0.8753, -0.892, -0.5058],
% out:  [0.7337, 0.9865, 0.9844, 0.9758, 0.3815]]
