% Compared with SciPy (generic_filter, wiener, distances, correlations) and scikit-image (thin, graycoprops, template matching).
x = [[10,20,30,40],[50,60,75,80],[90,15,25,35],[45,55,65,70.0]]
[gx,gy] = imgradientxy(x)
print gx, gy
% out: [[40, 85, 80, 35],
% out:  [-45, 5, 80, 30],
% out:  [-130, -85, 75, 30],
% out:  [-45, -5, 65, 25]][[160, 165, 170, 165],
% out:  [235, 65, -20, -20],
% out:  [-20, -25, -35, -40],
% out:  [-95, 75, 155, 145]]
