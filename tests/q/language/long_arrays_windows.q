% Windows, convolutions, transforms and systems of long arrays.
seed(6)
x = rand(120,130)
w = rand(3,5)
f = imfilter(x,w)
g = medfilt2(x,[3,5])
e = imerode(x,ones(3,5))
differ = 0
{!serial for}
for i=1..118
  {!serial for}
  for j=2..127
    part = x[i-1..i+1,j-2..j+2]
    all = sort(reshape(part,1,15))
    if abs(f[i,j]-sum(sum(part.*w))) > 1e-4 || g[i,j] != all[7] || e[i,j] != all[0]
      differ += 1
    endif
  endfor
endfor
print differ
a = rand(3000)
b = rand(2500)
c = conv(a,b)
differ = 0
{!serial for}
for k=0..7..5498
  t = 0.0
  {!serial for}
  for i=max(0,k-2499)..min(2999,k)
    t += a[i]*b[k-i]
  endfor
  if abs(c[k]-t) > 1e-2
    differ += 1
  endif
endfor
print differ, " ", numel(c)
z = rand(90,100)
print max(max(abs(real(ifft2(fft2(z)))-z))) < 1e-5, " ", max(max(abs(idct(dct(z))-z))) < 1e-5
s = rand(200,200) + 20*eye(200)
y = rand(200,3)
print max(max(abs(s*solve(s,y)-y))) < 1e-3, " ", max(max(abs(s*inv(s)-eye(200)))) < 1e-3
[L,U,P] = lu(s)
q = s*transpose(s)
r = chol(q)
print max(max(abs(P*s-L*U))) < 1e-3, " ", max(max(abs(r*transpose(r)-q))) < 1e-1
i = zeros(40,50)
i[5..20,5..20] = 1
i[8..12,8..12] = 0
i[30..35,1..40] = 1
[l,n] = bwlabel(i)
print n, " ", l[6,6], " ", l[31,2], " ", sum(sum(imfill(i)))-sum(sum(i))
% out: 0
% out: 0 5499
% out: 1 1
% out: 1 1
% out: 1 1
% out: 2 1 2 25
