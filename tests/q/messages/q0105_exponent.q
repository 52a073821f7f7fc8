a = 12xyz   % error[Q0105]: malformed number '12xyz'
% compile
