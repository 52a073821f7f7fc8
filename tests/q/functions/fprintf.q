f = fopen("q_fp.txt","w")
fprintf(f,"%d,%5.2f,%s\n",3,pi,"x")
fclose(f)
f = fopen("q_fp.txt")
print fgetl(f)
% out: 3, 3.14,x
