print cast(3.7,"int"), " ", cast(3,"scalar"), " ", cast([1.5,-2.5],"vec[int]") % out: 3 3 [1, -2]
