print intmax(), " ", intmax("int8"), " ", intmax("uint32"), " ", intmax("uint8"), " ", intmax("int16"), " ", intmax("uint16")
try
    print intmax("float")
catch e
    print e
endtry
% out: 2147483647 127 4294967295 255 32767 65535
% out: intmax: 'float' is no type of integers
