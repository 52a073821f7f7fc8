f = fopen("q_l.txt","w")
fprintf(f,"a\n\nb")
fclose(f)
f = fopen("q_l.txt")
print "[", fgetl(f), "][", fgetl(f), "][", fgetl(f), "][", fgetl(f), "]"
% out: [a][][b][]
