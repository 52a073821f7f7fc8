print rgb2hsv([1,2])   % error[Q0314]: argument 1 of 'rgb2hsv' needs a cube with 3 channels
