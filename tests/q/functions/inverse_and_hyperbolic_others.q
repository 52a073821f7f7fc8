print round(1000*asec([2,-3])), round(1000*acsc([2,-3])), round(1000*acot([2,-3]))
print round(1000*sech([0,1])), round(1000*csch([1,-2])), round(1000*coth([1,-2]))
print intmax(), " ", intmax("int8"), " ", intmax("uint32"), " ", intmin("int16"), " ", intmin("uint8")
try
    print intmax("float")
catch e
    print e
endtry
[a, b] = bounds([[3,1],[2,7]])
print a, " ", b
% out: [1047, 1911][524, -340][464, -322]
% out: [1000, 648][851, -276][1313, -1037]
% out: 2147483647 127 4294967295 -32768 0
% out: intmax: 'float' is no type of integers
% out: 1 7
