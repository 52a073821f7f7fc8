% Slices, masks, transposes and their like of long arrays take the elements that they say.
seed(4)
x = rand(300,401)
v = rand(100000)
t = transpose(x)
s = x[10..2..290,400..-3..5]
r = circshift(x,[7,-11])
u = fliplr(flipud(x))
w = repmat(x,2,2)
q = horzcat(x,x)
differ = 0
{!serial for}
for i=0..299
  {!serial for}
  for j=0..400
    if t[j,i] != x[i,j] || u[i,j] != x[299-i,400-j] || w[i+300,j+401] != x[i,j] || q[i,j+401] != x[i,j]
      differ += 1
    endif
    if r[i,j] != x[mod(i-7,300),mod(j+11,401)]
      differ += 1
    endif
  endfor
endfor
{!serial for}
for i=0..size(s,0)-1
  {!serial for}
  for j=0..size(s,1)-1
    if s[i,j] != x[10+2*i,400-3*j]
      differ += 1
    endif
  endfor
endfor
print differ
k = 0
picked = v[v > 0.5]
{!serial for}
for i=0..99999
  if v[i] > 0.5
    if picked[k] != v[i]
      differ += 1
    endif
    k += 1
  endif
endfor
print differ, " ", k == numel(picked), " ", sum(v > 0.5) == k
v[v > 0.5] = -1
print max(v) <= 0.5, " ", sum(v < 0) == k
cube = rand(20,60,70)
p = permute(cube,[2,0,1])
print p[69,3,59] == cube[3,59,69], " ", p[5,19,0] == cube[19,0,5]
y = zeros(300,401)
y[5..299,0..399] = x[0..294,1..400]
print y[5,0] == x[0,1], " ", y[299,399] == x[294,400], " ", sum(y[0,:])
% out: 0
% out: 0 1 1
% out: 1 1
% out: 1 1
% out: 1 1 0
