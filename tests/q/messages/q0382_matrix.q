for i=eye(2)   % error[Q0382]: a for loop needs a range or a vector, not an array of size 2x2
   print i
endfor
