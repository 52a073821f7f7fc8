f = (a, a) -> a   % error[Q0114]: 'a'
% compile
