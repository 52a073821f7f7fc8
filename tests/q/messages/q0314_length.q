print periodize(1,0)   % error[Q0314]: 'periodize' needs a length of at least 1, not 0
