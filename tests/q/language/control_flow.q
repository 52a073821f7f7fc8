% Control flow.
k = 0
repeat
    k += 1
    if k == 2
        continue
    endif
until k >= 4
print k
for i = 5..-2..0
    print i
endfor
for v = [0.5, 1.5]
    print v
endfor
match 3 with
| (1, 2) -> print "low"
| (3, 4) ->
    print "three"
    print "or four"
| _ -> print "other"
endmatch
i = 0
while 1
    i += 1
    if i > 100
        break
    endif
endwhile
print i
x = 3
y = x > 2 ? x < 5 ? "mid" : "big" : "small"
print y
a = b = c = 4
print a + b + c
[p, _, q] = [1, 2, 3]
print p, q
[r, s] = {"a", 2}
print r, s
function y = early(x)
    y = 0
    for k = 0..9
        if k == x
            y = k * 10
            return
        endif
    endfor
endfunction
print early(3), " ", early(20)
t = (u = 2; v = 3; u * v)
print t
f = x -> (x < 0 ? -x : x)
print f(-3), f(3)
% out: 4
% out: 5
% out: 3
% out: 1
% out: 0.5
% out: 1.5
% out: three
% out: or four
% out: 101
% out: mid
% out: 12
% out: 13
% out: a2
% out: 30 0
% out: 6
% out: 33
