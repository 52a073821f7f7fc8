hold("on")   % error[Q0416]: 'hold' without a figure
