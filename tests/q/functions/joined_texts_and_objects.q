% Texts side by side are one text; texts below one another, and objects, are the elements of a cell.
print horzcat("size ", num2str(3), "!")
lines = vertcat("one", "two")
print numel(lines), " ", lines[1]
s = horzcat(object(a:=1), object(a:=2))
s = horzcat(s, object(a:=7))
print numel(s), " ", s[2].a, " ", numel(object(a:=1)), " ", length(object(a:=1)), " ", size(object(a:=1))
try
    print horzcat("a", 3)
catch e
    print "no"
endtry
% out: size 3!
% out: 2 two
% out: 3 7 1 1 [1, 1]
% out: no
