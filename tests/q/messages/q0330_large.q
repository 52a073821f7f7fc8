print int(1e10)   % error[Q0330]: does not fit in int
