% Compared with SciPy (generic_filter, wiener, distances, correlations) and scikit-image (thin, graycoprops, template matching).
print im2col([[1,2],[3,4],[5,6]],[2,2])
print im2col([[1,2,3],[4,5,6]],[2,2],"distinct")
% out: [[1, 3],
% out:  [2, 4],
% out:  [3, 5],
% out:  [4, 6]]
% out: [[1, 3],
% out:  [2, 0],
% out:  [4, 6],
% out:  [5, 0]]
