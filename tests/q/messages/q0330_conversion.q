print uint8(300)   % error[Q0330]: value 300 does not fit in uint8
