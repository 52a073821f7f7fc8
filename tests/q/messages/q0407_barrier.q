function y = __device__ f(x)
   syncthreads
   y = x
endfunction
function [] = __kernel__ k(c : vec[vec], pos : int)
   d = cellfun(f, c)   % error[Q0407]: a barrier inside a function that is called by a built-in function
endfunction
c = vec[vec](1)
c[0] = [1]
parallel_do(1, c, k)
