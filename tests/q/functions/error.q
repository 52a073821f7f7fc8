try
error "code ", 7
catch e
print e.message, " ", e.line
endtry
% out: code 7 2
