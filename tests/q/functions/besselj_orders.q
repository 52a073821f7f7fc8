print besselj(0.5,2), " ", round(1e5*besselj(1.5,[0,1,20])), " ", besselj(2,-3)
try
    print besselj(0.5,-1)
catch e
    print e
endtry
% out: 0.513016 [0, 24030, -6466] 0.486091
% out: 'besselj' of a number below 0 is not real
