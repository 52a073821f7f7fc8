% A number may begin with its point; a range keeps its points.
x = .5
print x, " ", [.25, -.5, 2.*.5, .5e1], " ", .5i
print 0..2, " ", -.5.. .5.. .5
% out: 0.5 [0.25, -0.5, 1, 5] 0+0.5j
% out: [0, 1, 2] [-0.5, 0, 0.5]
