print round(1000*sech([0,1])), round(1000*sech(-1))
% out: [1000, 648]648
