print besseli(0,1), " ", round(1e4*besseli(1.5,[0,1,5])), " ", besseli(1,-2)
% out: 1.26607 [0, 2935, 211844] -1.59064
