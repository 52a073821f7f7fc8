y = zeros(4)
for i = 0..9
    y[i] = i   % error[Q0340]: index 4 is out of bounds (0..3) in 'y'
endfor
