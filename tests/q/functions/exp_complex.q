print round(real(exp(1j*pi))), " ", abs(exp(2j)) % out: -1 1
