function y = risky(x)
    y = [1,2,3][x]
endfunction
try
    print risky(7)
catch e
    print e.message, " at line ", e.line   % out: index 7 is out of bounds (0..2) in array at line 2
endtry
try
    z = undefined_thing
catch e
    print e                          % out: 'undefined_thing' is not defined
endtry
for i=0..2
    try
        if i == 1
            continue
        endif
        error "no ", i
    catch e
        print e                      % out: no 0
    endtry
endfor
% out: no 2
