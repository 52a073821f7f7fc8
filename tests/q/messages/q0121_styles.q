for i=0..1
   print i
endfor
while 0
end   % error[Q0121]: old-style 'end' and new-style block endings are mixed in one file
% compile
