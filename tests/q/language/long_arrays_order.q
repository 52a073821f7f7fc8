% Sums, extremes, order and sets of long arrays.
seed(5)
x = rand(90000)
k = floor(500*rand(90000))
m = rand(300,350)
[s,i] = sort(x)
d = sort(x,"descend")
differ = 0
{!serial for}
for j=1..89999
  if s[j] < s[j-1] || s[j] != x[i[j]] || d[j] > d[j-1]
    differ += 1
  endif
endfor
print differ, " ", median(x) == (s[44999]+s[45000])/2, " ", max(x) == s[89999], " ", min(x) == s[0]
[u,f,n] = unique(k)
print numel(u), " ", u[0], " ", u[499], " ", sum(abs(u[n]-k)), " ", sum(abs(k[f]-u))
print numel(intersect(k,0..99)), " ", numel(setdiff(k,0..99)), " ", numel(union(k,[-1,500])), " ", sum(ismember(k,[7])) == sum(k == 7)
a = sum(m,0)
b = sum(m,1)
[c,at] = max(m,[],1)
e = cumsum(m,0)
differ = 0
{!serial for}
for j=0..349
  t = 0.0
  {!serial for}
  for i=0..299
    t += m[i,j]
  endfor
  if abs(a[0,j]-t) > 1e-3 || abs(e[299,j]-a[0,j]) > 1e-3
    differ += 1
  endif
endfor
{!serial for}
for i=0..299
  if c[i,0] != m[i,at[i,0]] || c[i,0] != max(m[i,:]) || abs(b[i,0]-sum(m[i,:])) > 1e-3
    differ += 1
  endif
endfor
print differ, " ", abs(std(x)^2-var(x)) < 1e-6, " ", abs(mean(x)-sum(x)/90000) < 1e-6
print mode(k) >= 0, " ", numel(find(k == 3)) == 2*nnz(k == 3), " ", sum(hist(x,64)), " ", sum(accumarray(k,ones(1,90000)))
% out: 0 1 1 1
% out: 500 0 499 0 0
% out: 100 400 502 1
% out: 0 1 1
% out: 1 1 90000 90000
