print mat2str([[1,2.5],[3,4]]), " ", mat2str([1,2]), " ", mat2str(0.1), " ", mat2str(zeros(0)), " ", mat2str(pi,3), " ", mat2str(complex([1],[-2]))
% out: [[1,2.5],[3,4]] [1,2] 0.1 [] 3.14 [1-2j]
