[A,B,C,D] = tf2ss([1,3],[2,3,4])
print A, " ", B, " ", C, " ", D
try
    [A,B,C,D] = tf2ss([1,2,3],[1,1])
catch e
    print e.message
end
% out: [[-1.5, -2],
% out:  [1, 0]] [[1],
% out:  [0]] [0.5, 1.5] 0
% out: tf2ss: the numerator has a higher degree than the denominator
