imwrite("dot.png",zeros(2,3))
info = imfinfo("dot.png")
print info.Width, info.Height, " ", info.Format, " ", info.ColorType
% out: 32 png grayscale
