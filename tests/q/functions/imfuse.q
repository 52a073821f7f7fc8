a = [[0,100],[200,255]]
print imfuse(a, a, "blend"), size(imfuse(a, a)), imfuse(a, 0 .* a, "diff"), size(imfuse(a, a, "checkerboard"))
% out: [[0, 100],
% out:  [200, 255]][2, 2, 3][[0, 100],
% out:  [200, 255]][2, 2]
