x = [3,1,2]
x[0] == 4   % warning[Q0217]: the value of this statement is not used
transpose(x)   % warning[Q0217]: the value of this statement is not used
for i=0..2
    x[i] + 1   % warning[Q0217]: the value of this statement is not used
endfor
function y = sum(v)
    print "mine"
    y = v[0]
endfunction
sum(x)
print x
% out: mine
% out: [3, 1, 2]
