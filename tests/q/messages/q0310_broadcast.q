% memory: 1000000
a = zeros(1,1000) + transpose(zeros(1,1000))   % error[Q0310]: out of memory: a result of size 1000x1000
