print primes(20), " ", numel(primes(1)), " ", numel(primes(1000))
% out: [2, 3, 5, 7, 11, 13, 17, 19] 0 168
