montage({zeros(4,4), eye(4)})
