print length("abc"), length(""), length([[1,2,3],[4,5,6]]), length([])
% out: 3030
