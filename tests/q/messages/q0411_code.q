print toascii([72,-5.0e9])   % error[Q0411]: a number that is no character code in 'toascii'
