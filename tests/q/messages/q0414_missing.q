x = imread("no such picture.png")   % error[Q0414]: imread: cannot open 'no such picture.png'
