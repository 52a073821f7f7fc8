plot([0,1,4])
daspect([1,1,1])
