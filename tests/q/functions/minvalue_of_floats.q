print minvalue(scalar), " ", minvalue(scalar'half) % out: -3.40282e+38 -65504
