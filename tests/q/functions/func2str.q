a = 2
f = x -> a*x^2 + 1
print func2str(f), " ", func2str(sin), " ", func2str((x,y) -> max(x,y))
function y = own(x)
    y = x
endfunction
print func2str(own), " ", str2func(func2str(t -> t + 1))(2)
try
    print func2str(3)
catch e
    print e
endtry
% out: (x) -> (a*(x^2))+1 sin (x,y) -> max(x,y)
% out: own 3
% out: argument 1 of 'func2str' needs a function, not a 'int'
