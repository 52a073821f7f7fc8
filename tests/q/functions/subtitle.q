plot([0,1,4])
subtitle("squares")
