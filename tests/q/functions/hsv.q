print size(hsv(8))
% out: [8, 3]
