% Positions that are not what they seem to be.
a : vec'safe = zeros(8)
c = -0.5
for i = 0..6       % par: parallel over (i)
    a[i+c] = a[i+c]*2 + i + 1
endfor
print a            % out: [4, 3, 4, 5, 6, 7, 0, 0]
n = 7
for i = 0..3       % par: parallel over (i)
    a[i-n/2] = a[i-n/2]*2 + 1
endfor
print a            % out: [9, 3, 4, 5, 6, 7, 0, 0]
n = 8
for i = 0..3       % par: parallel over (i)
    a[i+n/2] = a[i+n/2]*2
endfor
print a            % out: [9, 3, 4, 5, 12, 14, 0, 0]
for i = 0..3       % par: serial: 'a' is read at a[i] and written at a[i+(n/2)]
    a[i+n/2] = a[i+n/2] + a[i]
endfor
print a            % out: [9, 3, 4, 5, 21, 17, 4, 5]
% A vector has an element for each component of a position.
v = zeros(16)
for i = 0..15      % par: parallel over (i)
    p = ind2pos([4,4], i)
    v[p] = v[p] + i
endfor
print v[0..4]      % out: [30, 45, 60, 75, 0]
for i = 0..15      % par: parallel over (i)
    p = ind2pos(size(v), i)
    v[p] = v[p] + i
endfor
print v[0..4]      % out: [30, 46, 62, 78, 4]
w = zeros(4,4)
for i = 0..15      % par: parallel over (i)
    p = ind2pos([4,4], i)
    w[p] = w[p] + i
endfor
print w[3,:]       % out: [12, 13, 14, 15]
% Before the first element there is none.
outside : mat'safe = w
for i = -15..15    % par: parallel over (i)
    p = ind2pos([4,4], i)
    outside[p] = outside[p] + 100
endfor
print w[0,:], w[3,3]   % out: [100, 101, 102, 103]115
for i = -6..-3
    p = ind2pos([4,4], i)
    v[i+6] = p[0]*10 + p[1]
endfor
print v[0..3]      % out: [-18, -17, -10, -9]
% falls back: the for-loop
