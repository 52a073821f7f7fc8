f = fopen("no such file.txt")   % error[Q0413]: fopen: cannot open 'no such file.txt'
