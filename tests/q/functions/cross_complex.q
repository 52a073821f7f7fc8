print cross([1+1j,0,0],[0,1,0]), cross([1,2j,0],[0,0,1])
try
    print clamp([1+2j,3], 1)
catch e
    print e
end
% out: [0+0j, 0+0j, 1+1j][0+2j, -1+0j, 0+0j]
% out: argument 1 of 'clamp' needs real numbers, not a 'cvec'
