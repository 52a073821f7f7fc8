print str2num("1,5")   % error[Q0332]: "1,5" is not a number
