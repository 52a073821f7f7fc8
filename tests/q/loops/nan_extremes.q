% args: --device interp
% The larger and the smaller of a constant and what is no number is the constant, and nothing is clipped to nothing.
x = ones(4)
x[1] = nan
y = zeros(4, 6)
a = vec[int16'sat](4)
for i = 0..3      % par: parallel over (i)
    y[i,0] = min(x[i], 2)
    y[i,1] = max(x[i], 2)
    y[i,2] = min(2, x[i])
    y[i,3] = max(2, x[i])
    y[i,4] = clamp(x[i], 3)
    y[i,5] = isnan(saturate(x[i]))
    a[i] = x[i]*5.5            % warning[Q0360]: type conversion
endfor
print y[0,:]          % out: [1, 2, 1, 2, 1, 0]
print y[1,:]          % out: [2, 2, 2, 2, 0, 1]
print a          % out: [5, 0, 5, 5]
