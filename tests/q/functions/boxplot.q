v = transpose([[1,2,3,4,9,30],[2,3,4,5,6,7]])
h = boxplot(v)
f = fopen(h.file)
[marks, lines] = [0, 0]
while !feof(f)
    line = fgetl(f)
    marks += strfind(line,"#dc2626") >= 0
    lines += strfind(line,"#000000") >= 0
endwhile
print marks > 0, lines > 0
boxplot([1,2,nan,4])
boxplot([5])
boxplot([])
% out: 11
