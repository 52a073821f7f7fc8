s = "abc"
print s[0,1]   % error[Q0342]: 2 indices for a string
