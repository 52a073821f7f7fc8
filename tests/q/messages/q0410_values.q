printf("%d %d\n", 1)   % error[Q0410]: needs more values than are given
