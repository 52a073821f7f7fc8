o = object(a:=1)
print o.b   % error[Q0353]: the object has no field 'b'
