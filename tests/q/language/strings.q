% Strings.
s = "abc"
print s + 1.5
print s + [1,2]
print "x" + (1 == 1)
print strlen("añb"), " ", strsplit("a,b,c", ",")
print strfind("banana", "nan"), " ", strfind("abc", "x")
print strtrim("  a b  ") + "|"
print sprintf("%5d|%-5d|%05d|%+d", 42, 42, 42, 42)
print sprintf("%x %X %o %c %%", 255, 255, 8, 65)
print sprintf("%8.3f|%-8.2e|%g", pi, 12345.678, 0.0001)
print sprintf("%s and %s", "a", [1,2])
print str2num("2.5") * 2, " ", str2num("7")
print "a" == "a", "a" != "a", "a" == 1
print tounicode([955, 120]), " ", fromunicode("λ")
print str({1, "a"}), " ", num2str(0.1)
% out: abc1.5
% out: abc[1, 2]
% out: x1
% out: 3 {"a", "b", "c"}
% out: 2 -1
% out: a b|
% out:    42|42   |00042|+42
% out: ff FF 10 A %
% out:    3.142|1.23e+04|0.0001
% out: a and [1, 2]
% out: 5 7
% out: 100
% out: λx [955]
% out: {1, "a"} 0.1
