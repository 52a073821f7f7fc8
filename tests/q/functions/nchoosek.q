print nchoosek(5,2), " ", nchoosek(30,15), " ", nchoosek([4,5],2)
try
    print nchoosek(2,3)
catch e
    print e.message
end
% out: 10 155117520 [6, 10]
% out: 'nchoosek' of 3 elements out of 2
