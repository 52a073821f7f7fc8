print interp1([0,2],[1,5],[0.5,1]), " ", interp1([1,5,7],1.5), " ", interp1([0,1],[2,3],[-1,1,2])
x = [0,1,2,4]
v = [0,1,4,16]
print interp1(x,v,[0.5,3],"spline"), " ", interp1(x,v,[0.5,3],"pchip"), " ", interp1(x,v,[0.5,3],"nearest"), " ", interp1(x,v,[0.5,3],"previous"), " ", interp1(x,v,[0.5,3],"next")
print interp1(x,v,5,"linear","extrap"), " ", interp1(x,v,5,"linear",-1), " ", interp1([4,0,2,1],[16,0,4,1],3)
try
    print interp1([1,1],[2,3],1)
catch e
    print e.message
end
% out: [2, 3] 6 [NaN, 3, NaN]
% out: [0.25, 9] [0.3125, 8.96429] [1, 16] [0, 4] [1, 16]
% out: 22 -1 10
% out: 'interp1' needs places that are finite and different
try
    y = interp1("linear", [1, 2], 0.5)
catch e
    print e                          % out: argument 1 of 'interp1' needs an array of numbers, not a 'string'
end
try
    y = interp1([1, 2], "linear")
catch e
    print e                          % out: argument 2 of 'interp1' needs an array of numbers, not a 'string'
end
