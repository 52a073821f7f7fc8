% Arrays that iterations in order make for themselves, with 'checked: reading beyond one is an error in loops within, too, which give 0
% for it otherwise.
function y = run(a : mat, far : int)
  [m, n] = size(a)
  y = zeros(m)
  {!serial for}
  for i=0..m-1
    w : vec'checked = zeros(n)
    for j=0..n-1
      w[j] = a[i,j] + y[max(i-1,0)]
    end
    s = 0.0
    for j=0..n-1
      s += w[j+far]
    end
    y[i] = s
  end
end
function y = loose(a : mat, far : int)
  [m, n] = size(a)
  y = zeros(m)
  {!serial for}
  for i=0..m-1
    w = zeros(n)
    for j=0..n-1
      w[j] = a[i,j] + y[max(i-1,0)]
    end
    s = 0.0
    for j=0..n-1
      s += w[j+far]
    end
    y[i] = s
  end
end
a = ones(3,4)
print run(a, 0) % out: [4, 20, 84]
try
  print run(a, 2)
catch e
  print e % out: index 4 is out of bounds (0..3) in 'w'
end
print loose(a, 0) % out: [4, 20, 84]
print loose(a, 2) % out: [2, 6, 14]
