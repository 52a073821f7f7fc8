c = cell(2)
print c[0] + 1   % error[Q0323]: an operand of '+' has no value
