% Arrays of a constant are written like zeros and ones, unless the name means something else.
print inf(2,2), NaN(1,2), size(true(2,3)), sum(sum(false(3)))
f = () -> true()
print f()
% out: [[Inf, Inf],
% out:  [Inf, Inf]][NaN, NaN][2, 3]0
% out: 1
