print round(abs(goertzel([1,0,-1,0],[0,1,2]))), " ", max(abs(goertzel([1,2,5],0..2) - fft1([1,2,5]))) < 1e-4
% out: [0, 2, 0] 1
