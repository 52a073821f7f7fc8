a = ["a","b"]   % error[Q0372]: a 'string' cannot be an element of an array literal
