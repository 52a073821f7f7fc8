x = uint8_to_float(uint8([0,51,255]))
print x/2, " ", uint8_to_float([1,255])
% out: [0, 25.5, 127.5] [1, 255]
