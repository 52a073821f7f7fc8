f : [scalar]   % error[Q0112]: a function type needs '->'
% compile
