print round(eig([[0,1],[-2,-3]]))    % out: [-2, -1]
