print eval("1+2*3"), " ", eval("[1,2]*2") % out: 7 [2, 4]
