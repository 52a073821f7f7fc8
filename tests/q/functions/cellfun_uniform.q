c = {"ab", "c", ""}
print cellfun(x -> numel(x), c, "UniformOutput", true), cellfun(numel, c), cellfun("isempty", c, "UniformOutput", 1)
print cellfun((x,y) -> x + y, {1,2}, {10,20}), cellfun(max, {1,5}, {3,4}, "UniformOutput", true)
for k = 0..1
    try
        print k == 0 ? cellfun(x -> [x,x], {1,2}, "UniformOutput", true) : cellfun((x,y) -> x, {1}, {1,2})
    catch e
        print e
    end
end
% out: [2, 1, 0]{2, 1, 0}[0, 0, 1]
% out: {11, 22}[3, 5]
% out: 'cellfun' with "UniformOutput" needs a number from each call, not a 'vec'
% out: argument 3 of 'cellfun' needs a cell of the size of the first one, not a 'vec[??]'
