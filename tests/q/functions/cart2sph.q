[t,p,r] = cart2sph([0,1],[2,0],[0,1])
print round(t*100), round(p*100), round(r*100)
% out: [157, 0][0, 79][200, 141]
