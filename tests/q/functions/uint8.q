print uint8(255), " ", uint8'sat(-4), " ", uint8'sat(nan), " ", uint8'unchecked(-1) % out: 255 0 0 255
