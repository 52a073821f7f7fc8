% memory: 1000000
x = zeros(1000,1000)   % error[Q0310]: out of memory: an array of size 1000x1000
