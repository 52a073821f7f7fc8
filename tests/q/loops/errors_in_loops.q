% An error in a loop is said where the loop in order would have said it, and what came before is there.
function y = roots(x)
    y = zeros(numel(x))
    for i=0..numel(x)-1
        if x[i] < 0
            error("no root of ", x[i])
        endif
        y[i] = sqrt(x[i])
    end
end
print roots([1,4,9])
z = zeros(5)
try
    for i=0..4
        if i == 3
            error("three")
        endif
        z[i] = i + 1
    end
catch e
    print "caught"
end
print z
try
    print roots([1,-4,9])
catch e
    print "caught, too"
end
% out: [1, 2, 3]
% out: caught
% out: [1, 2, 3, 0, 0]
% out: caught, too
