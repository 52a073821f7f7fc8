% Strings, cells, objects, functions and evaluated text.
type point : mutable class
    x : scalar
    y : scalar
endtype
function y = twice(f, x)
    y = f(f(x))
endfunction
function [] = main(dir)
    s = ""
    for i=0..199
        s = s + num2str(i) + ","
    endfor
    print s[0..20]
    c = cell(20)
    for i=0..19
        c[i] = strcat("item ", num2str(i))
    endfor
    print c[7]
    p = point(x:=1, y:=2)
    p.x = p.y + 3
    print p.x
    print twice(x -> x * x, 3)
    print eval("1 + 2 * 3")
    f = fopen(strcat(dir, "/a.txt"), "w")
    for i=0..99
        fprintf(f, "line %d\n", i)
    endfor
    fclose(f)
    f = fopen(strcat(dir, "/a.txt"))
    print fgetl(f)
    fclose(f)
endfunction
