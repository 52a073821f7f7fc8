plot([0,1,4])
box("on")
