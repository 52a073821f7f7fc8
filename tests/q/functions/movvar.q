print movvar([1,5,3,4,2],3), " ", movvar([],3)
% out: [8, 4, 1, 1, 2] []
