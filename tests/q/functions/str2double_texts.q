print str2double("1,000.5"), " ", str2double("1+2i"), " ", str2double("-3j"), " ", str2double({"1","x"}), " ", str2double("1 2"), " ", str2double("-Inf"), " ", str2double("1e3"), " ", str2double(" .5 "), " ", str2double(""), " ", str2double("i")
% out: 1000.5 1+2j 0-3j [1, NaN] NaN -Inf 1000 0.5 NaN 0+1j
