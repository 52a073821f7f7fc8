plot([0,1,4])
yticks([0,4])
yticklabels({"low","high"})
