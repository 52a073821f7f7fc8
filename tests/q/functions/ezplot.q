ezplot("x^2", [0,2])
