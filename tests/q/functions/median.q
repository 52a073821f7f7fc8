print median([3,1,2]), " ", median([4,1,3,2]), " ", median([[1,5],[3,9],[2,7]],0) % out: 2 2.5 [2, 7]
print median([1,nan,3]), " ", median([[1,nan],[3,4]],0), " ", median([nan]), " ", mean([1,nan])
% out: NaN [2, NaN] NaN NaN
