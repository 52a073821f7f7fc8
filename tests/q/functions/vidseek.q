imwrite("seek0.png", 3*ones(4,6,3))
imwrite("seek1.png", 9*ones(4,6,3))
v = vidopen("seek%d.png")
vidreadframe(v)
vidreadframe(v)
vidseek(v, 0)
print vidreadframe(v), " ", v.rgb_data[0,0,0]
% out: 1 3
