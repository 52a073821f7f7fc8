surf([[0,1],[1,2]])
shading("interp")
