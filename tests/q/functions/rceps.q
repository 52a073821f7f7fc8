print round(rceps([1,2,3,4])*1000)
% out: [1269, 402, 229, 402]
