% Complex matrices, as NumPy has them.
a = [[1+2j, 3], [4, 5-1j]]
print det(a), " ", trace(a)
print round(real(inv(a) * a) + 0)
print round(real(solve(a, [1+1j, 2])) .* 1000)
print kron([[1j, 2]], [[1, 1j]])
print angle([-1, 2, nan])
try
    print inv([[1j, 1], [-1, 1j]])
catch e
    print e
end
% out: -5+9j 6+1j
% out: [[1, 0],
% out:  [0, 1]]
% out: [340, 94]
% out: [0+1j, -1+0j, 2+0j, 0+2j]
% out: [3.14159, 0, NaN]
% out: the matrix has no inverse: it is singular
