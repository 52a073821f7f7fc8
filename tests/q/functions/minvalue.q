print minvalue(int8), " ", minvalue(uint8), " ", minvalue(int16), " ", minvalue(int) % out: -128 0 -32768 -2147483648
