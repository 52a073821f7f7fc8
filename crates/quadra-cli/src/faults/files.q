% Files of every kind.
function [] = main(dir)
    a = ones(64,64)
    for i=0..63
        a[i,i] = 200
    endfor
    for k=0..4
        save(strcat(dir, "/a", num2str(k), ".dat"), a * k)
    endfor
    save(strcat(dir, "/a.npy"), a)
    save(strcat(dir, "/a.csv"), a)
    imwrite(strcat(dir, "/a.png"), a)
    imwrite(strcat(dir, "/a.pgm"), a)
    plot([0,1,4,9], strcat(dir, "/a.svg"))
    print sum(load(strcat(dir, "/a.npy")))
    print size(imread(strcat(dir, "/a.png")))
    f = fopen(strcat(dir, "/a.txt"), "w")
    for i=0..2999
        fprintf(f, "%d %d\n", i, i * i)
    endfor
    fclose(f)
    print "written"
endfunction
