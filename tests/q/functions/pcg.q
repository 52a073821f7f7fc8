[x,steps] = pcg([[4,1],[1,3]],[1,2])
print round(1000*x), " ", steps, " ", round(1000*pcg(x -> 2.*x,[1,2]))
% out: [91, 636] 2 [500, 1000]
