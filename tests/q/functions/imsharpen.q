print round(imsharpen([[0,0,9,9],[0,0,9,9]]))
% out: [[0, 0, 11, 9],
% out:  [0, 0, 11, 9]]
