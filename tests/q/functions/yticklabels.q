plot([0,1,4])
yticklabels([1,2,3])
