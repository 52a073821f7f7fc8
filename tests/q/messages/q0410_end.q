print sprintf("50%", 1)   % error[Q0410]: the format ends inside a conversion
