break   % error[Q0117]: 'break' outside a loop
% compile
