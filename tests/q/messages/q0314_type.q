print maxvalue(string)   % error[Q0314]: 'maxvalue' needs a number type, not 'string'
