print int32(7.9), " ", type(int32(7)) % out: 7 int32
