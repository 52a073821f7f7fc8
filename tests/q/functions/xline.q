plot([0,1,4])
hold("on")
xline(1)
