hold("on")
a = plot([0,1,2], [0,1,4], "LineWidth", 3, "DisplayName", "thick", "Color", [1,0,0])
b = plot([1,2,3], "bo", "q_properties.svg", "markersize", 12, "MarkerFaceColor", "g")
c = stem([1,2,3], "filled", "DisplayName", "stems")
bar([3,1,2], "FaceColor", "red")
scatter([1,2],[3,4], "ks", "filled")
try
    plot([0,1], "LineWidth")
catch message
    print message
end
try
    plot([0,1], "LineWidth", -1)
catch message
    print message
end
try
    plot([0,1], "Color", "nothing")
catch message
    print message
end
try
    plot([0,1], "Marker", "?")
catch message
    print message
end
try
    plot([0,1], "LineWidth", 2, "NoSuchThing", 3)
catch message
    print message
end
% out: 'plot' has no value for "LineWidth"
% out: 'plot': "LineWidth" is no size
% out: 'plot': "Color" is no colour
% out: 'plot': "Marker" is no line or mark
% out: 'plot' has no property "NoSuchThing"
