x = load("no such file.dat")   % error[Q0413]: load: cannot open 'no such file.dat'
