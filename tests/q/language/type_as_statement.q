% As a statement of its own `type(x)` prints; with a type it asks, and does not.
function y = shifted(x : vec, n : int)
  y = x + n
endfunction
type(shifted)
type([[1,2],[3,4]])
type(3, "int")
t = type(1.5)
print t
% out: [(vec, int) -> ??]
% out: mat
% out: scalar
