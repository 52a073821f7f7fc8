print norminv(0.5), " ", round(norminv([0.975,0.025])*100), " ", round(norminv(0.975,1,2)*100)
% out: 0 [196, -196] 492
