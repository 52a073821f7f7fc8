% Forms that programs from elsewhere use: a semicolon before a closing parenthesis, a comma at the end of a statement.
function [] = twice(x)
    print 2*x
end
function y = add(a, b)
    y = a + b
end
o = object(v:=1)
function [] = do(f)
    f()
end
twice(3;)
do(() -> (o.v = 5;););
print(add(o.v,2;))
beta = 3,
alpha = 2; gamma = [1,
    2],
print alpha, beta, gamma
print "a",
    "b"
print("c",
      "d",
      add(1,
          2))
if alpha == 2
    delta = add(1,2),
endif
print delta
[p, q] = [7, 8],
print p, q
% out: 6
% out: 7
% out: 23[1, 2]
% out: ab
% out: cd3
% out: 3
% out: 78
