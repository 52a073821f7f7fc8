f = (a, b) -> a
print f(..."ab")   % error[Q0383]: '...' needs a vector or a cell
