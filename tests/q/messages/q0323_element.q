c = cell(2)
c[0][1] = 5   % error[Q0323]: never set
