print type(1,"vec[")   % error[Q0220]: is no type
