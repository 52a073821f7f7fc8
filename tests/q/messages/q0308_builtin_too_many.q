print sin(1,2)   % error[Q0308]: 'sin' needs 1 argument, 2 are given
