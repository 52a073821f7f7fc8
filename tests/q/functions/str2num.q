print str2num("42")+1, " ", str2num(" -1.5e2 "), " ", type(str2num("42")), " ", type(str2num("4.0")) % out: 43 -150 int scalar
