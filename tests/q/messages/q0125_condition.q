x = 3
if x = 4   % warning[Q0125]: the condition is an assignment
    print x
endif
while x ~= x   % warning[Q0125]: the condition is an assignment
endwhile
if (x == 1) || (x = 5) == 5
    print x
endif
% out: 4
% out: 5
