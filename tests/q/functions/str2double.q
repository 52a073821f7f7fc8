print str2double("2.5e3"), " ", str2double("x"), " ", str2double(3)
% out: 2500 NaN NaN
