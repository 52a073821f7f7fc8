print round(idct([2,0,0,0])*1000), " ", round(idct(dct([1,2,3]))) % out: [1000, 1000, 1000, 1000] [1, 2, 3]
