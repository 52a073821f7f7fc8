print size(imhistmatch([[0,50],[100,150]], [[0,200],[250,255]]))
% out: [2, 2]
