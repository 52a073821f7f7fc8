[c,s] = wavedec2(ones(4,4), 2)
print round(appcoef2(c, s)), round(appcoef2(c, s, "haar", 1))
% out: [4][[2, 2],
% out:  [2, 2]]
