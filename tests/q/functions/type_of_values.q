print type(1), " ", type(1.5), " ", type([1,2]), " ", type("a"), " ", type(2j) % out: int scalar vec string cscalar
