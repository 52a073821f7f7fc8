print round(transpose(flattopwin(5)) .* 1000)
% out: [0, -55, 1000, -55, 0]
