a = 100000
print a * a   % error[Q0327]: integer overflow in 100000 * 100000
