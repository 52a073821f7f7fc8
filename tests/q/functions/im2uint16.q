print im2uint16([[0,255]])
% out: [0, 65535]
