print scalar(object())   % error[Q0331]: cannot be converted to 'scalar'
