print int16(-300), " ", int16'sat(1e6), " ", int16'unchecked(65535) % out: -300 32767 -1
