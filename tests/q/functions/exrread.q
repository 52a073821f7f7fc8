try
    print size(exrread("picture.exr").data)
catch e
    print e
end
% out: imread: cannot open 'picture.exr'
