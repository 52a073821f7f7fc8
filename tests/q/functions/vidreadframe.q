imwrite("read0.png", zeros(4,6,3))
imwrite("read1.png", 7*ones(4,6,3))
v = vidopen("read%d.png")
print vidreadframe(v), " ", v.rgb_data[0,0,0], " ", vidreadframe(v), " ", v.rgb_data[3,5,2], " ", vidreadframe(v)
% out: 1 0 1 7 0
