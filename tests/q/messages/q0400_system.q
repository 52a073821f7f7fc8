x = solve([[1,2],[2,4]],[1,1])   % error[Q0400]: the system has no unique solution
