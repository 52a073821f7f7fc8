print uint8(-1)   % error[Q0330]: value -1 does not fit in uint8
