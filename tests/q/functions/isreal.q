print isreal(1), isreal(1j), isreal([1,2]), isreal("a"), isreal([1j,2]) % out: 10100
