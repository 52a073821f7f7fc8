print psi(1), " ", round(1e5*psi([0.5,10])), " ", psi(0), " ", round(1e5*psi(-0.5))
% out: -0.577216 [-196351, 225175] -Inf 3649
