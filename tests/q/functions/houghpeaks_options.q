v = zeros(20, 20)
v[3, 4] = 9
v[5, 4] = 8
v[15, 10] = 5
print size(houghpeaks(v, 5)), size(houghpeaks(v, 5, "Threshold", 4)), size(houghpeaks(v, 5, "NHoodSize", [1, 1], "Threshold", 4))
print houghpeaks(v, 5, 6)
try
    houghpeaks(v, 5, "Theta", 3)
catch e
    print e
endtry
% out: [3, 2][3, 2][3, 2]
% out: [[3, 4],
% out:  [5, 4]]
% out: houghpeaks knows no option "Theta", or it has no value
