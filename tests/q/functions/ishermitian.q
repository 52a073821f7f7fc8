print ishermitian([[1,1j],[-1j,1]])
% out: 1
