function y = f(a, b)
   y = a
endfunction
print f(1)   % error[Q0308]: 'f' misses argument 'b'
