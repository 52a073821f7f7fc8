print round(imguidedfilter([[0,0,9],[0,0,9],[0,0,9]]))
% out: [[3, 4, 4],
% out:  [3, 4, 4],
% out:  [3, 4, 4]]
