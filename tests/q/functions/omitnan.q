% Words behind the arguments of a reduction: the whole array, and elements that are no numbers.
x = [[1,2,3],[4,0/0,6]]
print sum(x,"all"), " ", sum(x,"omitnan"), " ", sum(x,"all","omitnan"), " ", sum([1,2,3],"all")
print sum(x,0,"omitnan"), sum(x,1,"omitnan")
print mean(x,"all","omitnan"), " ", mean(x,1,"omitnan"), " ", prod(x,"omitnan"), " ", median(x,0,"omitnan")
print max(x,[],"all"), " ", min(x,[],"all"), " ", max(x,[],1,"omitnan"), " ", isnan(mean(x,"includenan"))
print var(x,0,"all","omitnan"), " ", std([1,3],0,"all"), " ", var(x,1,1,"omitnan"), " ", var(x,0,"omitnan")
print any(x,"all"), all([[1,1],[1,0]],"all"), " ", sum(zeros(0,3),"all"), " ", sum([0/0],"omitnan"), isnan(mean([0/0],"omitnan"))
z = [1+2i, 0/0]
print sum(z,"omitnan")
try
    print sum(x,0,"all")
catch e
    print e
endtry
try
    print sum(x,"everything")
catch e
    print e
endtry
function m = means(a, w)
    m = mean(a, w)
endfunction
print means(x, "omitnan")
y = zeros(3)
for k = 0..2
    y[k] = sum(x[0,:], "all") + k
endfor
print y
% out: NaN 16 16 6
% out: [5, 2, 9][[6],
% out:  [10]]
% out: 3.2 [[2],
% out:  [5]] 144 [2.5, 2, 4.5]
% out: 6 1 [[3],
% out:  [6]] 1
% out: 3.7 1.41421 [[0.666667],
% out:  [1]] [2.25, 0, 2.25]
% out: 10 0 01
% out: 1+2j
% out: 'sum' has both a dimension and "all"
% out: argument 2 of 'sum' needs a dimension, "all", "omitnan" or "includenan", not a 'string'
% out: 3.2
% out: [6, 7, 8]
