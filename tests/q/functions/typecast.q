print typecast(int32(1078530011),"single"), " ", typecast(uint8([0,0,128,63]),"single"), " ", typecast(int32([1,-2]),"uint16")
print typecast(uint8(transpose([1,0,2,0])),"uint16"), " ", typecast(-1.5,"uint32"), " ", typecast(uint8([0,0,0,0,0,0,240,63]),"double")
% out: 3.14159 1 [1, 0, 65534, 65535]
% out: [[1],
% out:  [2]] 3217031168 1
for bad = {{uint8([1,2,3]),"single"}, {1+2j,"uint8"}, {1.0,"string"}}
    try
        print typecast(bad[0],bad[1])
    catch e
        print e
    end
end
% out: 3 bytes are no whole number of elements with 4 bytes
% out: argument 1 of 'typecast' needs real numbers, not a 'cscalar'
% out: argument 2 of 'typecast' needs a type of real numbers such as "uint8", "single" or "int64", not a 'string'
