print im2double(uint8(51*ones(1,2)))
% out: [0.2, 0.2]
