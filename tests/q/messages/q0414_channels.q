imwrite("q_c.png", ones(2,2,2))   % error[Q0414]: an array of size 2x2x2 is no image
