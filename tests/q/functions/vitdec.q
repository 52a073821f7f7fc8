t = poly2trellis(3, [7,5])
message = [1,0,1,1,0,1,0,0]
code = convenc(message, t)
came = code
came[3] = 1 - came[3]
came[10] = 1 - came[10]
print isequal(vitdec(came, t, 8, "trunc", "hard"), message), isequal(vitdec(came, t, 8, "term", "hard"), message)
print isequal(vitdec(1 - 2*came + 0.1, t, 8, "term", "unquant"), message)
t = poly2trellis(7, [171,133])
message = mod(floor((0..63)*0.37), 2)
code = convenc(message, t)
came = code
came[[5,30,61]] = 1 - came[[5,30,61]]
print isequal(vitdec(came, t, 35, "trunc", "hard"), message)
try
    vitdec(code, t, 35, "cont", "hard")
catch e
    print e
endtry
% out: 11
% out: 1
% out: 1
% out: vitdec ends with "trunc" or "term"
% falls back: the for-loop
