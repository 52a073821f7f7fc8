% fuel: 1000
try
   while 1   % error[Q0301]: more steps than allowed
   endwhile
catch e
   print "caught"
endtry
