a = 5
print a[0]   % error[Q0346]: 'int'
