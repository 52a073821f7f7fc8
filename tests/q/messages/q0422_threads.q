parallel_do([[64,64],[64,64]], zeros(3), __kernel__ (y : vec, pos : ivec2) -> y[0] = 1)   % error[Q0422]: a block has more than 1024 threads: 4096
