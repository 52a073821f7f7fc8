print nan, " ", nan == nan, nan != nan % out: NaN 01
