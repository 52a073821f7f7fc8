plot([0,1,4])
saveas("q_saved.png")
saveas(1,"q_saved.svg")
print size(imread("q_saved.png")), exists("q_saved.svg")
% out: [420, 640, 3]1
