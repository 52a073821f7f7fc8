print int("abc")   % error[Q0332]: "abc" is not a number
