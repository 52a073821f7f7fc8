% Arrays, their functions and what they print.
function [] = main(dir)
    a = zeros(40,40)
    for i=0..39
        for j=0..39
            a[i,j] = sin(i) * cos(j)
        endfor
    endfor
    b = transpose(a) * a
    print sum(b), " ", max(max(a))
    c = sort(a[3,0..39])
    print c[0..4]
    v = linspace(0, 1, 100000)
    print sum(v .* v + 2 * v)
    print size(reshape(v, [100,1000]))
    try
        print v[200000]
    catch e
        print e.message
    endtry
    save(strcat(dir, "/a.dat"), a, c)
    x = load(strcat(dir, "/a.dat"))
    print sum(x - a)
endfunction
