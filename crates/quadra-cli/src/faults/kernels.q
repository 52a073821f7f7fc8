% Kernels and parallel loops, compiled where the machine can.
function [] = __kernel__ blur(x : mat, y : mat, pos : ivec2)
    y[pos] = (x[pos] + x[pos + [0,1]] + x[pos + [1,0]]) / 3
endfunction
function [] = main(dir)
    x = ones(600,600)
    y = zeros(600,600)
    for k=0..3
        parallel_do(size(x), x, y, blur)
    endfor
    print y[5,5]
    z = zeros(300000)
    for i=0..299999
        z[i] = 2 * i + 1
    endfor
    print z[299999]
    save(strcat(dir, "/y.dat"), y)
endfunction
