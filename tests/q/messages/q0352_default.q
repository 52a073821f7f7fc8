type shape : class
   outline : mat
endtype
s = shape()   % error[Q0352]: class 'shape' has no default constructor: field 'outline' needs a value
