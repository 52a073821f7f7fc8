% A launch over four axes of more items than a device has workers.
function b:mat = blocks(a:mat, s:ivec2)
    [m,n] = s
    [rows,columns] = size(a,0..1)
    function [] = __kernel__ take(b:mat, a:mat, pos:ivec4)
        b[pos[2]*n+pos[3],pos[1]*(rows-m+1)+pos[0]] = a[pos[0]+pos[3],pos[1]+pos[2]]
    end
    b = zeros(m*n,(rows-m+1)*(columns-n+1))
    parallel_do([rows-m+1,columns-n+1,m,n],b,a,take)
end
b = blocks(reshape(0..63, [8,8]), [3,2])
print sum(b), " ", b[5,41], " ", sum(b[:,40])
b = blocks(mod(reshape(0..1023, [32,32]),7), [3,3])
print sum(b), " ", sum(b[4,:])
% out: 6672 0 170
% out: 24301 2704
