print int(inf)   % error[Q0330]: value Inf does not fit in int
