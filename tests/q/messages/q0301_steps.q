% fuel: 1000
i = 0
while 1   % error[Q0301]: more steps than allowed
   i += 1
endwhile
