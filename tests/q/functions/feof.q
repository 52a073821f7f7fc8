f = fopen("q_o.txt","w")
fprintf(f,"1\n2\n3\n")
fclose(f)
f = fopen("q_o.txt")
s = 0
while !feof(f)
s += str2num(fgetl(f))
endwhile
print s
% out: 6
