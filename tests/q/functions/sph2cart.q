[x,y,z] = sph2cart(pi/2, 0, 2)
print round(x*100), " ", round(y*100), " ", round(z*100)
% out: 0 200 0
