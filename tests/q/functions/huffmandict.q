[code, bits] = huffmandict([1,2,3,4], [0.5,0.25,0.125,0.125])
print bits
for k = 0..3
    print numel(code[k,1])
endfor
x = [1,1,3,2,4,1]
b = huffmanenco(x, code)
print numel(b), " ", huffmandeco(b, code)
print huffmandeco(huffmanenco([7,7], huffmandict([7], [1])), huffmandict([7], [1]))
try
    print huffmanenco([9], code)
catch e
    print e
endtry
% out: 1.75
% out: 1
% out: 2
% out: 3
% out: 3
% out: 11 [1, 1, 3, 2, 4, 1]
% out: [7, 7]
% out: huffmanenco: the code has no word for a symbol of the list
