f = fopen("q_wr.txt","w")
print fgetl(f)   % error[Q0417]: fgetl: the file is open for writing
