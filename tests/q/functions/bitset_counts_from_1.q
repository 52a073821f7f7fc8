try
    print bitset(4,0)
catch e
    print e.message
end
% out: bitset: bits count from 1
