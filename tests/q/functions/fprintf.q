f = fopen("q_fp.txt","w")
fprintf(f,"%d,%5.2f,%s\n",3,pi,"x")
fclose(f)
f = fopen("q_fp.txt")
print fgetl(f)
% out: 3, 3.14,x
fprintf("%d and %s\n", 4, "y")
fprintf("alone\n")
fprintf(1, "to %s\n", "the output")
% out: 4 and y
% out: alone
% out: to the output
