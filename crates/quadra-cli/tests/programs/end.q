f = x -> sqrt(x - 1)
w = f(0) + 1
try
    error("caught")
catch e
    s = 0
end
print s, " ", im[3,4], " ", w
