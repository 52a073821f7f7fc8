s = struct("a", 4)
print s[0].a
for k = 0..0
  print s[k].a
endfor
try
  print s[1].a
catch e
  print e
endtry
% out: 4
% out: 4
% out: 's', a 'object', cannot be indexed
