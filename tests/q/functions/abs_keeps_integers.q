print type(abs(-7)), " ", type(abs(-7.0)) % out: int scalar
