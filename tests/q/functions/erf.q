print erf([0,0.5,-2,inf]), " ", erf(1), " ", isnan(erf(nan)), " ", erf(zeros(0))
% out: [0, 0.5205, -0.995322, 1] 0.842701 1 []
