print round(moment([1,2,3],2)*1000), " ", moment([1,2,3],3)
% out: 667 0
