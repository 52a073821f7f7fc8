print vec(3), " ", vec[int](2), " ", type(vec[uint8](1)) % out: [0, 0, 0] [0, 0] vec[uint8]
