print round(normpdf([0,1])*1000), round(normpdf(1,0,2)*1000)
% out: [399, 242]176
