% Pictures that move together in a window; in files there is nothing to move.
f = form("two")
d = f.add_display()
a = d.imshow([[0,255]])
b = d.imshow([[255,0]])
a.connect(b)
print "shown"
% out: shown
