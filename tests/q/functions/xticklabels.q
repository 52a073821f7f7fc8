plot([0,1,4])
xticks([0,2])
xticklabels({"first","last"})
