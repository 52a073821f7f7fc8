% memory: 1000000
c = {}
for i=0..100000
   c = {c, zeros(100)}   % error[Q0310]: out of memory
endfor
