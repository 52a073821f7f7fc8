print round(1000*triplequad((x,y,z) -> x+y+z,0,1,0,1,0,1))
% out: 1500
