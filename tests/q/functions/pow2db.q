print pow2db(100)
% out: 20
