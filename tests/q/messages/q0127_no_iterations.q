for i = 10..1   % warning[Q0127]: the loop has no iterations: 10 lies behind 1 in steps of 1
    print i
endfor
for i = 0..-1..5   % warning[Q0127]: the loop has no iterations: 0 lies behind 5 in steps of -1
    print i
endfor
n = 1
for i = 10..n
    print i
endfor
for i = 1..1
    print i
endfor
for i = -1..-2..-4
    print i
endfor
% out: 1
% out: -1
% out: -3
