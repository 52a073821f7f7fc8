% Draws how the cost of K1, K5 and K8 grows, from two files of `quadra bench growth --csv`: one thread, all threads.
% Writes growth1.svg, growth5.svg and growth8.svg into a directory.
function [] = curve(points : mat, kernel : scalar, column : int, picture : string)
    chosen = points[:,0] == kernel
    sides = points[:,2]
    costs = points[:,column]
    loglog(sides[chosen], costs[chosen], picture)
    hold("on")
endfunction

function [] = main(one : string, all : string, directory : string)
    what = {"K1: window of 11 x 11 pixels", "K5: product of matrices", "K8: Mandelbrot's set"}
    kernels = [1, 5, 8]
    single = load(one)
    points = load(all)
    for k = 0..2
        picture = directory + "/growth" + num2str(kernels[k]) + ".svg"
        curve(single, kernels[k], 3, picture)
        curve(points, kernels[k], 3, picture)
        curve(points, kernels[k], 4, picture)
        legend("1 thread", num2str(points[0,1]) + " threads", "roofline, all threads")
        title(what[k])
        xlabel("pixels a side")
        ylabel("ms")
        hold("off")
    endfor
endfunction
