print maxvalue(int8), " ", maxvalue(uint8), " ", maxvalue(int16), " ", maxvalue(uint16), " ", maxvalue(int) % out: 127 255 32767 65535 2147483647
