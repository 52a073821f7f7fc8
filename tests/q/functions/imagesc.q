o = imagesc([[0,1],[2,4]])
print imread(o.file), exists("imagesc_001.svg")
% out: [[0, 64],
% out:  [128, 255]]1
