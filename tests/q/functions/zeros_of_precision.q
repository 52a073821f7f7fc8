print size(zeros(2, 3, "single")), ones(2, "double")
try
    x = zeros(2, 2, "uint8")
catch e
    print e
endtry
% out: [2, 3][1, 1]
% out: 'zeros' makes no array of "uint8"
