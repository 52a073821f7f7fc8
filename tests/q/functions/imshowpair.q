imshowpair(zeros(4,4), eye(4), "montage")
imshowpair(zeros(4,4), eye(4))
