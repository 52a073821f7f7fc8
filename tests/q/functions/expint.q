print round(1e5*expint([0.1, 1, 2.5])), " ", expint(0), " ", round(1e5*expint(1)), " ", expint(inf), " ", expint([nan])
print size(expint(ones(2,3)))
try
    expint(-1)
catch e
    print e
endtry
% out: [182292, 21938, 2491] Inf 21938 0 [NaN]
% out: [2, 3]
% out: expint: numbers from 0 on
