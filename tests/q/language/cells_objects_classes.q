% Cells, objects and classes.
c = cell(2, 2)
c[0,1] = "x"
print c
print {1,2} .* 3, " ", -{1, {2}}
d = copy(c)
d[0,1] = 5
print c[0,1], " ", d[0,1]
o = object(a:=1, b:="two")
o.c = [1,2]
print o
p = o
p.a = 7
print o.a, " ", isfield(o, "c"), isfield(o, "z")
type point : mutable class
    x : scalar
    y : scalar
endtype
a = point(1, 2)
b = a
b.x = 9
print a, " ", a == b, " ", copy(a) == a
type frozen : class
    v : int
endtype
function [] = change(x)
    x.v = 4
endfunction
f = frozen(v:=3)
try
    change(f)
catch e
    print e
endtry
type node : mutable class
    next : ^node
    value : int
endtype
n = nullptr
for i = 1..3
    n = node(next:=n, value:=i)
endfor
print n.value, n.next.value, n.next.next.value, " ", n.next.next.next == nullptr
print type(a), " ", type(n.next), " ", type(nullptr, "^node")
% out: {{[], "x"}, {[], []}}
% out: {3, 6} {-1, {-2}}
% out: x 5
% out: object(a:=1, b:="two", c:=[1, 2])
% out: 7 10
% out: point(x:=9, y:=2) 1 0
% out: class 'frozen' is immutable: its field 'v' cannot be changed
% out: 321 1
% out: point node 1
