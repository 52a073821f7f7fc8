% Types of a call of a call with too few arguments; found by the fuzzer
print size()   % error[Q0308]: 'size' needs 1 to 2 arguments, 0 are given
