print int(nan)   % error[Q0330]: value NaN does not fit in int
