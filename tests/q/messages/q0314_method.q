print imresize([1,2],2,"lanczos")   % error[Q0314]: 'imresize' knows no method "lanczos"
