print graythresh([10,20,200,210]) * 255, " ", graythresh([7,7])
% out: 109.5 0
