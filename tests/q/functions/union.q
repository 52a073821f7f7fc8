print union([3,1],[2,1]), " ", union({"b"},{"a","b"}), " ", union(zeros(0),[1])
% out: [1, 2, 3] {"a", "b"} [1]
