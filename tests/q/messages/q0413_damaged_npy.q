f = fopen("q_bad.npy","w")
fprintf(f,"nothing")
fclose(f)
x = load("q_bad.npy")   % error[Q0413]: load: 'q_bad.npy' cannot be read: it does not start as such files do
