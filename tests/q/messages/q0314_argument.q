print strlen(5)   % error[Q0314]: argument 1 of 'strlen' needs a string, not a 'int'
