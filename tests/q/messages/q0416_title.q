title("x")   % error[Q0416]: 'title' without a figure
