print atan2(1)   % error[Q0308]: 'atan2' needs 2 arguments, 1 are given
