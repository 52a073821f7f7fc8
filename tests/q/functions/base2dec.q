print base2dec("101",3), " ", base2dec("ff",16)
% out: 10 255
