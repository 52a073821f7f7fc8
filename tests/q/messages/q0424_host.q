x = shared(3)   % error[Q0424]: shared memory can only be allocated in a kernel function
