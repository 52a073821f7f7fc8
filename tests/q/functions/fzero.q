print round(1000*fzero(x -> x^2 - 2, [0,2])), " ", round(1000*fzero(x -> cos(x), 1))
try
    print fzero(x -> x^2 + 1, [0,1])
catch e
    print e.message
end
% out: 1414 1571
% out: fzero: f has the same sign at both ends
