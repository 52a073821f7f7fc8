print prctile([1,2,3,4],[25,75]), " ", prctile([[1,5],[3,4]],50,1)
try
    print prctile([1],200)
catch e
    print e.message
end
% out: [1.5, 3.5] [[3],
% out:  [3.5]]
% out: 'prctile' for a share of 200
