print multithresh([[0,0,100],[200,100,200]], 2), multithresh([[0,0,100]], 1) >= 0
% out: [0, 100.392][1]
