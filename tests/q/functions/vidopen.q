imwrite("opened0.png", zeros(4,6,3))
imwrite("opened1.png", ones(4,6,3))
v = vidopen("opened%d.png")
print v.frame_width, "x", v.frame_height
try
    vidopen("none%d.png")
catch e
    print "not there"
end
% out: 6x4
% out: not there
