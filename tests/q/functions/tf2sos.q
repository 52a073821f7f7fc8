[b,a] = butter(5, 0.3)
[s,g] = tf2sos(b,a)
x = [1,2,0,-1,3,1,0,2]
print size(s), " ", max(abs(g*sosfilt(s,x) - filter(b,a,x))) < 1e-3
[s,g] = tf2sos([2,0,-2],[1,0.5])
print s, " ", g
% out: [3, 6] 1
% out: [1, 0, -1, 1, 0.5, 0] 2
