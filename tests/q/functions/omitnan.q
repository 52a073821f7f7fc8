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
end
print y
