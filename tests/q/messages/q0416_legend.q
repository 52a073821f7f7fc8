legend("x")   % error[Q0416]: 'legend' without a figure
