print int8(-128), " ", int8'sat(300), " ", int8'sat(-300), " ", int8'unchecked(130) % out: -128 127 -128 -126
