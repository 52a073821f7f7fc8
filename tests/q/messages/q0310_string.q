% memory: 1000000
s = "ab"
for i=0..30
   s = s + s   % error[Q0310]: out of memory: a string
endfor
