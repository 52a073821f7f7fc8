plot([1,2],"curve.txt")   % error[Q0314]: plot: 'curve.txt' is no name of a picture
