% Files of the library compute with arrays of bytes although the program does not import inttypes.q; the program itself cannot.
x = uint8([[10,200,30],[4,90,6]])
y = bitset(x, 1)
print y
print db2mag(uint8([20,40]))
s = stretchlim(uint8([[0,100],[200,255]]))
print numel(s)
z = [0]
try
    z = x .* x
catch e
    print e
endtry
% out: [[11, 201, 31],
% out:  [5, 91, 7]]
% out: [10, 100]
% out: 2
% out: whole-array arithmetic on 'uint8' elements is not enabled: import "inttypes.q"
