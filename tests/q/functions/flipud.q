print flipud([[1],[2]]), " ", flipud([1,2])
% out: [[2],
% out:  [1]] [1, 2]
