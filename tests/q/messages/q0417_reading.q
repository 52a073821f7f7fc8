f = fopen("q_rw.txt","w")
fclose(f)
f = fopen("q_rw.txt")
fprintf(f,"x")   % error[Q0417]: fprintf: 'q_rw.txt' is open for reading
