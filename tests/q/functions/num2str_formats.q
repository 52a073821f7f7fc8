print num2str(pi,4), " ", num2str(pi,"%.2f"), " ", num2str([1,2,3],3), " ", num2str(7)
% out: 3.142 3.14 1  2  3 7
