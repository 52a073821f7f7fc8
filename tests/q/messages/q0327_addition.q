a = 2147483647
print a + 1   % error[Q0327]: integer overflow in 2147483647 + 1
