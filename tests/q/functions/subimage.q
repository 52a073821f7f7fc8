subplot(1,2,0)
subimage(eye(4))
