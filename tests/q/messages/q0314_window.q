print medfilt2([1,2],[0,3])   % error[Q0314]: argument 2 of 'medfilt2' needs one or two lengths
