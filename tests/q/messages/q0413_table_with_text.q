f = fopen("q_bad.csv","w")
fprintf(f,"1,2\n3,x\n")
fclose(f)
x = load("q_bad.csv")   % error[Q0413]: load: "x" in line 2 of 'q_bad.csv' is not a number
