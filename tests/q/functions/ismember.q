print ismember([1,5,2],[5,6,1]), " ", ismember(3,[1,2]), " ", ismember("b",{"a","b"}), " ", ismember(nan,[nan])
[tf,k] = ismember([1,5,2],[5,6,1])
print tf, " ", k
print ismember({"x","a"},{"a","b"})
% out: [1, 1, 0] 0 1 0
% out: [1, 1, 0] [2, 0, -1]
% out: [0, 1]
