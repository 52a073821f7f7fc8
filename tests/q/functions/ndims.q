print ndims(eye(2)), ndims([1,2]), ndims(5), ndims(ones(2,2,2)) % out: 2103
