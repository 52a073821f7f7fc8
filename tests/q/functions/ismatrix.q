print ismatrix([1,2]), ismatrix(eye(2)), ismatrix(ones(2,2,2)), ismatrix(1) % out: 1100
