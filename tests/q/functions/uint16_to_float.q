print uint16_to_float([1,65535]), " ", uint8_to_float([1,255])
% out: [1, 65535] [1, 255]
