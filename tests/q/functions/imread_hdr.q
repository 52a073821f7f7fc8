% Two pixels of Radiance's format: three mantissas and an exponent, here of characters.
f = fopen("q_h.hdr", "w")
fprintf(f, "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 2\n@@ ~ @@~")
fclose(f)
x = imread("q_h.hdr")
print size(x), x[0,0,:], x[0,1,:]
% out: [1, 2, 3][0.0625, 0.0625, 0.03125][0.03125, 0.0625, 0.0625]
print imread("q_h.hdr", "gray")
% out: [0.0589375, 0.0531562]
