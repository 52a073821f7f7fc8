a = plot([1,2])
hold("on")
b = plot([3,4])
hold("off")
c = plot([5,6])
print a.file == b.file, a.file == c.file
% out: 10
