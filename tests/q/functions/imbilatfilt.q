print round(imbilatfilt([[0,0,9],[0,0,9],[0,0,9]], 0.5))
% out: [[0, 0, 9],
% out:  [0, 0, 9],
% out:  [0, 0, 9]]
