while "a"   % error[Q0380]: condition must be a scalar, not a 'string'
endwhile
