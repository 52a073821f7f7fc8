x = 1..4
prev = 0.0
y = zeros(4)
for i=0..3   % warning[Q0504]: there is a dependency between iterations on variable 'prev'
   y[i] = x[i] - prev
   prev = x[i]
endfor
print y
% out: [1, 1, 1, 1]
