print iscomplex(1), iscomplex(1j), iscomplex([1,2j]), iscomplex("a") % out: 0110
