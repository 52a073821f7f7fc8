print movmean([1,2,3,4,5],3,"Endpoints","discard"), " ", movmean([1,2,3,4,5],3,"Endpoints","fill"), " ", movmean([1,2,3],3)
try
    print movmean([1,2,3],3,"Endpoint","fill")
catch e
    print e
endtry
% out: [2, 3, 4] [NaN, 2, 3, 4, NaN] [1.5, 2, 2.5]
% out: movmean knows the option "Endpoints" with "shrink", "discard" or "fill"
