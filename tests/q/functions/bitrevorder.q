print bitrevorder(0..7)
% out: [0, 4, 2, 6, 1, 5, 3, 7]
