[a, e, k] = levinson([1,0.5,0.3], 2)
print round(a .* 10000), round(e .* 10000), round(k .* 10000)
% out: [10000, -4667, -667]7467[[-5000],
% out:  [-667]]
