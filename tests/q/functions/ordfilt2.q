% Compared with SciPy (generic_filter, wiener, distances, correlations) and scikit-image (thin, graycoprops, template matching).
x = [[10,20,30,40],[50,60,75,80],[90,15,25,35],[45,55,65,70.0]]
print ordfilt2(x, 4, ones(3,3))
try
    y = ordfilt2(x, 9, ones(3,3))
catch message
    print message
end
% out: [[0, 20, 30, 0],
% out:  [15, 30, 35, 30],
% out:  [45, 55, 60, 35],
% out:  [0, 25, 25, 0]]
% out: ordfilt2: the rank lies outside of the mask
