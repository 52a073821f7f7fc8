% Responses compared with scipy.signal in tests/library.
s = tf([0,1,3], [1,2,5])
print s.num, " ", s.den, " ", s.Ts, " ", dcgain(s)
print tf(3, [1,-0.5], 0.1).Ts
try
    t = tf([1], [0,0])
catch e
    print e.message
end
% out: [1, 3] [1, 2, 5] 0 0.6
% out: 0.1
% out: tf: the denominator is 0
