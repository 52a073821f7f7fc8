syncthreads   % error[Q0408]: syncthreads
