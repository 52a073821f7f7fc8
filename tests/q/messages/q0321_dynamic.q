function y = f(a)
   y = a + 1   % error[Q0321]: whole-array arithmetic on 'uint8' elements is not enabled
endfunction
print f(vec[uint8](3))
