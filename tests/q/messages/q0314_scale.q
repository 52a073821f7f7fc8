print imresize([1,2],0)   % error[Q0314]: argument 2 of 'imresize' needs
