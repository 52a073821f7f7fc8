print sprintf("%x %X %o %c %%", 255, 255, 8, 65)
% out: ff FF 10 A %
