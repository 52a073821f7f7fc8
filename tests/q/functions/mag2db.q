print mag2db(100)
% out: 40
