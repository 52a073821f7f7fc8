print besselj(0,[0,1,5]), " ", besselj(2,3)
try
    print besselj(0.5,1)
catch e
    print e.message
end
% out: [1, 0.765198, -0.177597] 0.486091
% out: 'besselj' needs a whole order, not 0.5
