% Constants of more than 31 bits stand where a type takes them.
import "inttypes.q"
h : uint32 = 2166136261
s = [104, 101, 108, 108, 111]
for k = 0..4
    h = uint32'unchecked(xor(h, uint32(s[k])))
endfor
print h
a = int64(4294967296) + 1
print a, " ", type(a)
b : int64 = 9007199254740993
print b
print uint32(4294967295)
% out: 2166136231
% out: 4294967297 int64
% out: 9007199254740993
% out: 4294967295
