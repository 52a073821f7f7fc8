x : mat'sloppy   % error[Q0203]: 'sloppy'
% compile
