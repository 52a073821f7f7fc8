a = 5
print a.x   % error[Q0356]: a 'int' has no fields, so there is no '.x'
