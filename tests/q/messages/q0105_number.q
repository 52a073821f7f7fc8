a = 12b   % error[Q0105]: malformed number '12b'
% compile
