title("before anything is drawn")
o = imshow([[0,255],[255,0]])
title("a picture")
hold("on")
plot([0,1],[1,0],"r")
hold("off")
print o.file, exists("imshow_002.svg"), exists("plot_001.svg"), imread(o.file)
% out: imshow_002.png01[[0, 255],
% out:  [255, 0]]
