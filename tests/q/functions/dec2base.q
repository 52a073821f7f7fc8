print dec2base(10,3), " ", dec2base(255,16,4), " ", base2dec("101",3), " ", base2dec("ff",16)
% out: 101 00FF 10 255
