print inv([[1j,0],[0,1]])   % error[Q0325]: 'inv' is not defined for complex matrices
