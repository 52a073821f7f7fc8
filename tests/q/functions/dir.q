f = fopen("one.txt","w"); fprintf(f,"abc"); fclose(f)
f = fopen("two.txt","w"); fclose(f)
f = fopen("two.csv","w"); fclose(f)
found = dir("*.txt")
print numel(found), " ", found[0].name, " ", found[0].bytes, " ", found[1].name, " ", found[0].isdir
print numel(dir("t?o.*")), " ", numel(dir("nothing*")), " ", numel(dir(".")) > 2, " ", dir("one.txt")[0].folder
% out: 2 one.txt 3 two.txt 0
% out: 2 0 1 .
