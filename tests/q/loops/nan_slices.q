% args: --device interp
% Extremes of slices pass over what is no number, wherever it stands, as those of arrays do. (QPUs have no NaN.)
x = mod(reshape(0..19999, 200, 100), 37)
x[3, 0] = nan
x[5, 70] = nan
x[7, :] = nan
a = zeros(200)
b = zeros(200)
for i = 0..199      % par: parallel over (i)
    a[i] = max(x[i,:])
    b[i] = min(x[i,:])
endfor
print a[3], " ", a[5], " ", isnan(a[7]), " ", b[3], " ", b[5], " ", isnan(b[7])   % out: 36 36 1 0 0 1
print max(x[3,:]), " ", max(x[5,:]), " ", isnan(max(x[7,:]))   % out: 36 36 1
