function n = here()
    n = mfilename()
endfunction
print mfilename(), " ", here()
% out: mfilename mfilename
