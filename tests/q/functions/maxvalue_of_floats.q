print maxvalue(scalar), " ", maxvalue(scalar'half), " ", maxvalue(scalar'double) % out: 3.40282e+38 65504 1.79769e+308
