x = zeros(20,20)
x[5..14,5..14] = 255
print sortrows(corner(x,4)), " ", size(corner(x)), " ", numel(corner(zeros(5,5)))
% out: [[5, 5],
% out:  [5, 14],
% out:  [14, 5],
% out:  [14, 14]] [4, 2] 0
