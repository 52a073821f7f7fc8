f = fopen("q_m.txt","x")   % error[Q0314]: 'fopen' knows no mode "x"
