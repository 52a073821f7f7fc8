% A type of the program that is called like a function of the library is the program's.
type rectangle : mutable class
    width : scalar
    height : scalar
endtype
r = rectangle(width := 3, height := 4)
print r.width*r.height        % out: 12
% So is one that is called like a built-in function.
type conv : class
    weight : scalar
endtype
print conv(2.5).weight + conv(weight := 1).weight        % out: 3.5
function y = area(s : rectangle)
    y = s.width*s.height
endfunction
print area(rectangle(2, 5))        % out: 10
