print hex2dec("FF"), " ", hex2dec("1a0"), " ", hex2dec("")
try
    x = hex2dec("G")
catch e
    print e.message
end
% out: 255 416 0
% out: hex2dec: the text has other letters than 0 to 9 and A to F
