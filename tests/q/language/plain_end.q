% `end` closes `if` as it closes every other block.
function y = sign_of(x)
    if x > 0
        y = 1
    elseif x < 0
        y = -1
    else
        y = 0
    end
end
for k = -1..1
    if k == 0
        % Of both words in one file.
        if k < 1
            print "zero"
        endif
    end
    print sign_of(k)
end
x = [3,1,2]
if x[end] == 2
    print x[end]
end
k = 0
while true
    k += 1
    if k > 3
        break
    end
end
print k
% out: -1
% out: zero
% out: 0
% out: 1
% out: 2
% out: 4
