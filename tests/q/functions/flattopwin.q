print round(flattopwin(5) .* 1000), flattopwin(1)
% out: [0, -55, 1000, -55, 0][1]
