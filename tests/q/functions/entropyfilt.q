print round(entropyfilt([[1,2],[3,4]], 3) .* 1000)
% out: [[1837, 1837],
% out:  [1837, 1837]]
