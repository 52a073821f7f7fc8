where = 3   % error[Q0113]: a statement cannot start with 'where'
% compile
