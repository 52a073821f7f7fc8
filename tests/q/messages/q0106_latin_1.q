import "latin_1.txt"   % warning[Q0106]: is not UTF-8: read as Latin-1
% out: µ
