assert(type("a","vec"))   % error[Q0213]: 'string' is not 'vec'
% compile
