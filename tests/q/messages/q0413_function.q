f = x -> x
save("q_f.dat", f)   % error[Q0413]: save: functions and types cannot be saved
