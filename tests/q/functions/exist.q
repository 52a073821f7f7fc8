x = 3
print exist("x"), exist("nothing"), exist("x","var"), exist("sin"), exist("fliplr"), exist("sin","var"), exist("uint8")
save("exist.dat", [1,2])
print exist("exist.dat"), exist("exist.dat","file"), exist("no file","file"), exist("."), exist("exist.dat","dir")
function y = scaled(x, factor)
    if !exist("factor","var")
        factor = 10
    endif
    y = x*factor
endfunction
print scaled(2), " ", scaled(2,3), " ", scaled(2, factor := 4), " ", exist("scaled")
f = x -> exist("x") + exist("none")
print f(1)
try
    print exist("x","thing")
catch e
    print e
endtry
% out: 1015505
% out: 22070
% out: 20 6 8 5
% out: 1
% out: 'exist' knows no kind "thing"
