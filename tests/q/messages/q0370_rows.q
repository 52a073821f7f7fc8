a = [[1,2],[3]]   % error[Q0370]: rows of an array literal have different sizes
