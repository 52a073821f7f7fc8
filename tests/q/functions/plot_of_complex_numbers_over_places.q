% Over places the real parts of complex numbers are drawn; nothing that is shown stops a computation.
plot([1, 2, 3], [1 + 2j, 3j, -1])
stem([1, 2], [1j, 2])
print "goes on"
% out: goes on
