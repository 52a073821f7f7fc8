print round(imnlmfilt([[0,0,9],[0,0,9],[0,0,9]], 3))
% out: [[0, 1, 8],
% out:  [0, 1, 8],
% out:  [0, 1, 8]]
