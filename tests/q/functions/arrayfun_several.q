print arrayfun(x -> x^2,[[1,2],[3,4]]), " ", arrayfun((x,y) -> x+y,[1,2],[3,4]), " ", arrayfun(x -> strcat("n",num2str(x)),[1,2],"UniformOutput",false), " ", arrayfun((x,y,z) -> x+y+z,[1,2],[3,4],[5,6])
% out: [[1, 4],
% out:  [9, 16]] [4, 6] {"n1", "n2"} [9, 12]
