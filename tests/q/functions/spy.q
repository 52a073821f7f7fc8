h = spy(eye(5))
print h.file
spy(zeros(3,3))
% out: plot_001.svg
