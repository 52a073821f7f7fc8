print num2str(2.5) + num2str(7)      % out: 2.57
