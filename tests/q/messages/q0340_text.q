s = "abc"
print s[3]   % error[Q0340]: index 3 is out of bounds (0..2) in
