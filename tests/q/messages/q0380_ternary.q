print eye(2) ? 1 : 2   % error[Q0380]: condition must be a scalar, not a 'mat'
