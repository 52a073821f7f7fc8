% args: --device interp
% What is combined stays where it meets what is no number, on whichever side.
x = mod((0..299).*7, 11) + 3
x[50] = nan
x[51] = nan
x[3] = 1
y = zeros(300)
s = 100.5
for i = 0..299    % par: in blocks over (i), running(<) on s
    s = min(x[i], s)
    y[i] = s
endfor
print s, y[49..52]      % out: 1[1, 1, 1, 1]
s = 0.5
for i = 0..299    % par: in blocks over (i), running(>) on s
    s = max(x[i], s)
    y[i] = s
endfor
print s, y[49..52]      % out: 13[13, 13, 13, 13]
x[299] = nan
s = 100.5
for i = 0..299    % par: parallel over (i), reduction(<) on s
    s = min(x[i], s)
endfor
print s                 % out: 1
