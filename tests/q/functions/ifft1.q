print real(ifft1(fft1([1,2,3]))), " ", ifft1([4,0,0,0]) % out: [1, 2, 3] [1+0j, 1+0j, 1+0j, 1+0j]
