x = zeros(1000000,1000000)   % error[Q0310]: out of memory
