% Pixels between the points of the line that is drawn: 4 units along x and 1 along y.
function r = drawn(word)
    figure()
    plot([0,4,4], [0,0,1])
    axis(word)
    saveas("q_axis.svg")
    f = fopen("q_axis.svg")
    r = []
    while !feof(f)
        line = fgetl(f)
        if strfind(line, "#0072b2") >= 0
            points = strsplit(strsplit(line, """")[1], " ")
            for k = 1..numel(points)-1
                [a, b] = [strsplit(points[k-1], ","), strsplit(points[k], ",")]
                r = [...r, hypot(str2num(b[0]) - str2num(a[0]), str2num(b[1]) - str2num(a[1]))]
            endfor
        endif
    endwhile
    fclose(f)
endfunction
print drawn("normal")
e = drawn("equal")
print e[0] == 550, abs(e[0]/4 - e[1]) < 0.1
t = drawn("image")
print t[0] == 550, abs(t[0]/4 - t[1]) < 0.1
print drawn("square")
% Without frame and marks the title is the only text; y that grows downwards turns the marks around.
function [n, first] = texts(words)
    figure()
    plot([0,4,4], [0,0,1])
    axis(...words)
    saveas("q_axis.svg")
    f = fopen("q_axis.svg")
    n = 0
    while !feof(f)
        n += strfind(fgetl(f), "<text") >= 0
    endwhile
    fclose(f)
endfunction
print texts({"on"}) > 6, texts({"off", "ij"})
try
    axis("nonsense")
catch m
    print m
endtry
% A picture with axes, and one that grows upwards.
figure()
imshow([[0,0],[255,255]])
axis("xy")
saveas("q_axis.png")
p = imread("q_axis.png")
print p[300,320,0], " ", p[100,320,0]
% out: [550, 320]
% out: 11
% out: 11
% out: [320, 320]
% out: 11
% out: argument 1 of 'axis' needs [x0,x1,y0,y1], "auto", "tight", "equal", "image", "square", "off" or "xy", not a 'string'
% out: 0 255
