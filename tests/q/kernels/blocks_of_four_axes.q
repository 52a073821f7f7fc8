% Blocks of a launch over four axes; one without items.
function [] = __kernel__ place(y:cube{4}, pos:ivec4, blkpos:ivec4, blkidx:ivec4, blkdim:ivec4)
    y[pos[0],pos[1],pos[2],pos[3]] = blkpos[3] + 10*blkidx[3] + 100*blkpos[0] + 1000*blkidx[1] + 10000*blkdim[3]
end
y = zeros(4,3,2,6)
parallel_do([[4,3,2,6],[2,1,1,3]],y,place)
print y[3,2,1,5], " ", y[0,0,0,0], " ", y[1,1,0,4], " ", sum(y)
parallel_do([[4,0,2,6],[2,1,1,3]],y,place)
print sum(y)
% out: 32112 30000 31111 4472064
% out: 4472064
