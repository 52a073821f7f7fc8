o = imshow([[0,255],[255,0]])   % note[Q0415]: imshow: the picture is in 'imshow_001.png'
print o.file, " ", imread(o.file)
% out: imshow_001.png [[0, 255],
% out:  [255, 0]]
