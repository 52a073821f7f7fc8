x = reshape(0..15, 4, 4)
[c,s] = wavedec2(x, 2)
[a,h,v,d] = dwt2(x)
print max(abs(detcoef2("h", c, s, 1) - h)) < 1e-4, max(abs(detcoef2("v", c, s, 1) - v)) < 1e-4, size(detcoef2("d", c, s, 2))
try
    print detcoef2("x", c, s, 1)
catch e
    print e
end
% out: 11[1, 1]
% out: detcoef2 knows no part "x": h, v or d
