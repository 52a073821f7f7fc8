print makecform("srgb2lab").conversion
try
    makecform("nothing")
catch e
    print e
end
% out: srgb2lab
% out: makecform knows no conversion "nothing": srgb2lab or lab2srgb
