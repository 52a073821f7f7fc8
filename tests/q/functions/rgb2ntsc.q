print round(rgb2ntsc(255 .* ones(1,1,3)))
% out: [[[255, 0, 0]]]
