imwrite("frame0.png", zeros(4,6,3))
imwrite("frame1.png", ones(4,6,3))
v = vidopen("frame%d.png")
n = 0
while vidreadframe(v)
    n += 1
endwhile
vidseek(v, 0)
print n, " ", vidreadframe(v), " ", size(v.rgb_data)
vidclose(v)
print vidreadframe(v)
% out: 2 1 [4, 6, 3]
% out: 0
