% Kernels on the emulated chip.
function [] = __kernel__ scale(x : vec, y : vec, f : scalar, pos : int)
    y[pos] = x[pos] * f
endfunction
function [] = main(dir)
    x = linspace(0, 1, 1024)
    y = zeros(1024)
    parallel_do(1024, x, y, 3.0, scale)
    print round(sum(y))
    save(strcat(dir, "/y.dat"), y)
    print "done"
endfunction
