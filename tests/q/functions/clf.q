plot([0,1,4])
clf()
plot([4,1,0])
