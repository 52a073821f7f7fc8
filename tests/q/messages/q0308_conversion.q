print scalar(1,2)   % error[Q0308]: converts one value, 2 are given
