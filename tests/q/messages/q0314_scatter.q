x = [1,2]
scatter(x, [4,1], 9, [1,2,3,4])   % error[Q0314]: argument 4 of 'scatter' needs a style such as "ro", or a colour: one number or three of 0 to 1 for each point, or three for all, not a 'vec'
