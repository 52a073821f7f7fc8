a = object(v:=5)
print a[0]   % error[Q0346]: cannot be indexed
