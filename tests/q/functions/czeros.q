print czeros(2), " ", type(czeros(2,2)) % out: [0+0j, 0+0j] cmat
