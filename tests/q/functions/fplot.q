fplot(x -> x^2, [0,2])
