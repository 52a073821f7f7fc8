function r = f(x)
  r = isempty(x) ? -1 : numel(x)
endfunction
function r = g(x, n = 3)
  r = n
endfunction
c = cell(3)
c[1] = [1,2]
print f(c[0]), " ", f(c[1]), " ", g(1), " ", isempty(c[2])
h = x -> numel(x)
print h(c[0])
% out: -1 2 3 1
% out: 0
