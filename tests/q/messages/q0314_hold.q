plot([1,2],"q_hold.svg")
hold("maybe")   % error[Q0314]: argument 1 of 'hold' needs "on" or "off"
