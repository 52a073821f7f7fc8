print round(1000*triplequad((x,y,z) -> x+y+z,0,1,0,1,0,1)), " ", round(1000*integral3((x,y,z) -> x.*y.*z,0,2,0,1,1,3))
% out: 1500 4000
