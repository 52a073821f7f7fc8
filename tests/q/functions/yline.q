plot([0,1,4])
hold("on")
yline(1)
