% args: -double
% Optical flow by least squares in windows (Lucas and Kanade) between a pattern and itself, moved. Beside it optical_flow.py, which prints
% the same.

% the pattern, moved by (u, v)
function x = pattern(rows, columns, u, v)
    x = zeros(rows, columns)
    for i=0..rows-1
        for j=0..columns-1
            x[i,j] = 100 + 40 * sin((j - u) / 5.0) * cos((i - v) / 6.0) + 20 * sin((i - v + j - u) / 9.0)
        end
    end
end

% columns and rows by which windows of 2*r+1 pixels move
function [u, v] = flow(a, b, r)
    [rows, columns] = size(a, 0..1)
    u = zeros(rows, columns)
    v = zeros(rows, columns)
    for i=r+1..rows-r-2
        for j=r+1..columns-r-2
            xx = 0.0
            xy = 0.0
            yy = 0.0
            xt = 0.0
            yt = 0.0
            for m=i-r..i+r
                for n=j-r..j+r
                    dx = (a[m,n+1] - a[m,n-1] + b[m,n+1] - b[m,n-1]) / 4
                    dy = (a[m+1,n] - a[m-1,n] + b[m+1,n] - b[m-1,n]) / 4
                    dt = b[m,n] - a[m,n]
                    xx += dx * dx
                    xy += dx * dy
                    yy += dy * dy
                    xt += dx * dt
                    yt += dy * dt
                end
            end
            d = xx * yy - xy * xy
            if d > 1
                u[i,j] = (xy * yt - yy * xt) / d
                v[i,j] = (xy * xt - xx * yt) / d
            endif
        end
    end
end

[rows, columns, r] = [40, 48, 3]
a = pattern(rows, columns, 0, 0)
b = pattern(rows, columns, 0.6, -0.4)
[u, v] = flow(a, b, r)
inner_u = u[r+1..rows-r-2,r+1..columns-r-2]
inner_v = v[r+1..rows-r-2,r+1..columns-r-2]
print "mean ", round(mean(inner_u) * 10000) / 10000, " ", round(mean(inner_v) * 10000) / 10000
print "worst ", round(max(abs(inner_u - 0.6)) * 10000) / 10000, " ", round(max(abs(inner_v + 0.4)) * 10000) / 10000
print round(u[20,10..14] .* 10000), " ", round(v[20,10..14] .* 10000)
% out: mean 0.6055 -0.4032
% out: worst 0.0064 0.0043
% out: [6055, 6058, 6059, 6059, 6059] [-4041, -4040, -4039, -4038, -4038]
% falls back on qpu: the for-loop
