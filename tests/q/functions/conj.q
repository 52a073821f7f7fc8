print conj(3+4j), " ", conj([1j,2])  % out: 3-4j [0-1j, 2+0j]
