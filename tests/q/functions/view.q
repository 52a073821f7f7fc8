surf([[0,1],[1,2]])
view(45, 30)
view([10, 20])
view(2)
view(3)
try
    view(1,2,3)
catch e
    print e
end
try
    view(7)
catch e
    print e
end
% out: 'view' needs 1 to 2 arguments, 3 are given
% out: argument 1 of 'view' needs two angles in degrees, 2 or 3, not a 'int'
