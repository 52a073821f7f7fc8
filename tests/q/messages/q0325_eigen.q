print eig([[1j,0],[0,1]])   % error[Q0325]: 'eig' is not defined for complex matrices
