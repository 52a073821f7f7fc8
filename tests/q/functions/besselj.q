print besselj(0,[0,1,5]), " ", besselj(2,3)
try
    print besselj(20000,1)
catch e
    print e.message
end
% out: [1, 0.765198, -0.177597] 0.486091
% out: 'besselj' of the order 20000
