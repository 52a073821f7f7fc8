rng(2) % A call at the beginning of a file is found, too.
print rand() < 1
% out: 1
