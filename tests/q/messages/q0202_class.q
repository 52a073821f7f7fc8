type node : class   % error[Q0202]: 'node'
   next : node
endtype
% compile
