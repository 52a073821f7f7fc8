subplot(1,2,2)   % error[Q0314]: there are no axes 2 in a grid of 1 by 2
