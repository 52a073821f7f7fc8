x = eye(2)^eye(2)   % error[Q0397]: '^' between matrices is not defined
