o = object(a:=1)
o.b = [2,3]
p = o
p.a = 5
print o, " ", o.b[1]
% out: object(a:=5, b:=[2, 3]) 3
