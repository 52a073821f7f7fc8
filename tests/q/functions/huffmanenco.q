code = huffmandict([1,2,3], [0.5,0.25,0.25])
print numel(huffmanenco([1,3,1], code)), " ", huffmandeco(huffmanenco([1,3,1], code), code), " ", numel(huffmanenco([], code))
% out: 4 [1, 3, 1] 0
