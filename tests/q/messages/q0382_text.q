for i="abc"   % error[Q0382]: a for loop needs a range or a vector, not a 'string'
   print i
endfor
