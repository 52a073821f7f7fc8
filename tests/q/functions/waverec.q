[c, l] = wavedec(0..8, 2, "db2")
print round(waverec(c, l, "db2"))
% out: [0, 1, 2, 3, 4, 5, 6, 7, 8]
