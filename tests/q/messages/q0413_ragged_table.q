f = fopen("q_rag.csv","w")
fprintf(f,"1,2\n3\n")
fclose(f)
x = load("q_rag.csv")   % error[Q0413]: load: line 2 of 'q_rag.csv' has 1 values instead of 2
