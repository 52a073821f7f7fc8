plot([0,1,4])
cla()
plot([4,1,0])
