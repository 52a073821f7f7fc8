f = fopen("q_closed.txt","w")
fclose(f)
fprintf(f,"x")   % error[Q0417]: fprintf: 3 is no open file
