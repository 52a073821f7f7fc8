a = object(v:=5)
print a[1]   % error[Q0346]: cannot be indexed
