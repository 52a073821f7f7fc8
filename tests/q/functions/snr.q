print round(snr([3,3],[1,-1])*100), " ", snr([1,1],[1,1])
% out: 954 0
