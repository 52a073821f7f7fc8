print numel(ones(2,3)), " ", numel(5), " ", numel("abc"), " ", numel([]) % out: 6 1 3 0
