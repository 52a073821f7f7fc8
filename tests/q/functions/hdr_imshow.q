f = form("one")
f.add_display()
h = hdr_imshow([[0,1],[2,4]], [0,4])
p : cube[uint8] = h.rasterize()
print size(p), " ", p[0,0,0], " ", p[1,1,0]
% out: [2, 2, 3] 0 255
