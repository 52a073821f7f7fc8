% Compared with scipy.ndimage: correlate and convolve, modes nearest, wrap and mirror.
x = [[1,2,3],[4,5,6],[7,8,10]]
h = [[0,1,0],[0,2,0],[0,0,4]]
print imfilter(x, h, "replicate")
print imfilter(x, h, "replicate", "conv")
print imfilter(x, h, "circular")
print imfilter(x, h, "same")
try
    print imfilter(x, h, "sideways")
catch e
    print e
endtry
% out: [[23, 30, 33],
% out:  [41, 52, 55],
% out:  [50, 61, 66]]
% out: [[10, 13, 20],
% out:  [19, 22, 30],
% out:  [37, 40, 50]]
% out: [[29, 36, 32],
% out:  [41, 52, 43],
% out:  [26, 33, 30]]
% out: [[26, 33, 32],
% out:  [41, 52, 47],
% out:  [38, 45, 46]]
% out: 'imfilter' knows no boundary mode "sideways"
