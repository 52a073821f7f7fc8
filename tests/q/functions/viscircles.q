imshow(zeros(20,20))
hold("on")
h = viscircles([[5,5],[20,9]], [3,4])
print h.file
viscircles([5,5], 2)
% out: imshow_001.svg
