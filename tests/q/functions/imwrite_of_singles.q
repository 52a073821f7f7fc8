x = reshape([0.5,2,1000,0.25,1,4],[1,2,3])
imwrite("q_singles.exr", x)
print reshape(imread("q_singles.exr"),[1,6])
imwrite("q_singles.hdr", x)
print round(reshape(imread("q_singles.hdr"),[1,6])*4)/4
try
    imwrite("q_singles.exr", zeros(2,2,4))
catch e
    print e.message
end
% out: [0.5, 2, 1000, 0.25, 1, 4]
% out: [0, 0, 1000, 0.25, 1, 4]
% out: an array of size 2x2x4 is no image of singles
