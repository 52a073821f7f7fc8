% `&` and `|` look at elements, `&` first, both behind comparisons and before `&&` and `||`.
x = [1,2,3,4,5]
print (x > 1) & (x < 4), x == 1 | x > 4
print x[(x > 1) & (x != 3)], sum(x > 2 | x == 1 & x < 0)
print 2 & 3, " ", 0 | 0, " ", 0.5 | 0, " ", 1 & 0
A = [[1,0],[2,3]]
print A & transpose(A), A | [[0,0],[0,0]]
if x[0] == 1 | x[1] == 1 && x[2] & 1
    print "yes"
endif
y = zeros(40)
for i = 0..39
    if i > 3 & i < 9 | i == 20
        y[i] = 1
    endif
endfor
print sum(y)
match x[2] with
| 1 -> print "one"
| 3 -> z = (x[0] | 0) + 1
| _ -> print "other"
endmatch
print z
% out: [0, 1, 1, 0, 0][1, 0, 0, 0, 1]
% out: [2, 4, 5]3
% out: 1 0 1 0
% out: [[1, 0],
% out:  [0, 1]][[1, 0],
% out:  [1, 1]]
% out: yes
% out: 6
% out: 2
