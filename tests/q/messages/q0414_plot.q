plot([1,2],"no such directory/x.svg")   % error[Q0414]: plot: cannot write 'no such directory/x.svg'
