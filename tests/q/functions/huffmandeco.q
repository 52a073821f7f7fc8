code = huffmandict([1,2,3,4], [0.4,0.3,0.2,0.1])
print huffmandeco(huffmanenco([4,1,3,2,2,1], code), code)
try
    print huffmandeco([1,1,1,1,1], huffmandict([1,2,3], [0.5,0.25,0.25]))
catch e
    print e
end
% out: [4, 1, 3, 2, 2, 1]
% out: [1, 1, 1, 1, 1]
