% memory: 1000000
x = repmat([1,2],1000,1000)   % error[Q0310]: out of memory: a result of size 1000x2000
