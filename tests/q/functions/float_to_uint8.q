print float_to_uint8([-3,99.6,300]), " ", type(float_to_uint8([1]))
% out: [0, 100, 255] vec[uint8]
