plot([1,2,3],[1,2])   % error[Q0320]: plot: 3 x-coordinates and 2 y-coordinates
