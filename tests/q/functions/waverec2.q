x = reshape(0..34, 7, 5)
[c,s] = wavedec2(x, 3, "db2")
print max(abs(waverec2(c, s, "db2") - x)) < 1e-3
% out: 1
