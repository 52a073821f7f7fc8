print qr([[1j,0],[0,1]])   % error[Q0325]: 'qr' is not defined for complex matrices
