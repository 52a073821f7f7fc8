s = "abc"
s[0] = "x"   % error[Q0347]: string
