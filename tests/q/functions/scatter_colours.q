% one colour for each point: numbers are places in the map, rows are red, green and blue
function n = lines_with(file, text)
    f = fopen(file)
    n = 0
    while !feof(f)
        n += strfind(fgetl(f), text) >= 0
    endwhile
endfunction
h = scatter([1,2,3,4], [4,1,3,2], 36, [0,1,2,3], "filled")
print lines_with(h.file, "#440154") > 0, lines_with(h.file, "#fde725") > 0
figure()
h = scatter([1,2], [4,1], [], [[1,0,0],[0,0,1]])
print lines_with(h.file, "#ff0000") > 0, lines_with(h.file, "#0000ff") > 0
figure()
h = scatter([1,2,3], [4,1,3], 9, [0,1,0])
print lines_with(h.file, "#00ff00") > 0
scatter([1,2], [4,1], 9, [nan,nan])
% out: 11
% out: 11
% out: 1
