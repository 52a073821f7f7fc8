print dec2hex(255), " ", dec2hex(10,4), " ", dec2hex(0)
% out: FF 000A 0
