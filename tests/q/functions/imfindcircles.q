x = zeros(60,60)
for m = 0..59
    for n = 0..59
        x[m,n] = (m-20)^2 + (n-35)^2 <= 64 ? 1 : 0
    endfor
endfor
[c, r, how] = imfindcircles(x,[5,12])
print round(c), " ", round(r), " ", how > 0.2
[c, r] = imfindcircles(1-x,[5,12],"ObjectPolarity","dark")
print round(c), " ", round(r), " ", numel(imfindcircles(zeros(20,20),[3,6]))
% out: [35, 20] [8] [1]
% out: [35, 20] [8] 0
