% Launches and loops over more axes than devices have: the first stands for several.
function [] = __kernel__ five(y:cube{:}, a:mat, pos:ivec5)
    y[pos[0],pos[1],pos[2],pos[3],pos[4]] = a[pos[0]+pos[4],pos[1]] * 10 + pos[2] - 2*pos[3]
end
a = reshape(0..63,[8,8])
y = zeros(3,4,2,5,6)
parallel_do([3,4,2,5,6],y,a,five)
print sum(y), " ", y[2,3,1,4,5], " ", y[0,0,0,0,0], " ", y[1,2,0,3,4]
% out: 209880 583 0 414
