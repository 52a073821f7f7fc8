print floor(-3.5), " ", floor([2.9,-0.1]), " ", floor(7) % out: -4 [2, -1] 7
