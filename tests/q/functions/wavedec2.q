x = reshape(0..63, 8, 8) .* 1.5 + eye(8)
[c, s] = wavedec2(x, 2, "db2")
print size(c), s
print max(abs(waverec2(c, s, "db2") - x)) < 1e-3
[a,h,v,d] = dwt2(x, "db2")
print size(detcoef2("d", c, s, 2)), " ", max(abs(appcoef2(c, s, "db2", 1) - a)) < 1e-3, " ", max(abs(detcoef2("v", c, s, 1) - v)) < 1e-3
% Odd sizes grow and are cut again.
y = x[0..6, 0..4]
[c, s] = wavedec2(y, 3)
print max(abs(waverec2(c, s) - y)) < 1e-3
try
    print detcoef2("x", c, s, 1)
catch e
    print e
endtry
% out: [1, 64][[2, 2],
% out:  [2, 2],
% out:  [4, 4],
% out:  [8, 8]]
% out: 1
% out: [2, 2] 1 1
% out: 1
% out: detcoef2 knows no part "x": h, v or d
