h = heatmap([[1,2],[3,4]])
print h.file
% out: imagesc_001.png
