function y = __device__ f(x)
   y = str2num("3")   % error[Q0403]: 'str2num' cannot be called in a kernel or device function
endfunction
% compile
