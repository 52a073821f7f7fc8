imwrite("q_picture", ones(2,2))   % error[Q0414]: imwrite: cannot write 'q_picture'
