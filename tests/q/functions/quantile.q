print quantile([1,2,3,4],0.5), " ", quantile([4,1,nan,3,2],[0,0.25,1]), " ", quantile([[1,2],[3,4]],0.5,0), " ", quantile(zeros(0),0.5)
% out: 2.5 [1, 1.5, 4] [2, 3] NaN
