type p : class
   x : int
endtype
q : ^^p   % error[Q0204]: pointers cannot have multiple indirections
% compile
