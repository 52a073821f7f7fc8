print round(100*fminunc(x -> (x-1.5)^2,0)), " ", round(100*fminsearch(x -> (x[0]-1.5)^2,[0])), " ", size(fminsearch(x -> sum((x-2).^2),[[1],[1]]))
% out: 150 [150] [2, 1]
