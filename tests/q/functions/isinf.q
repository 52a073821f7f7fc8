print isinf(inf), isinf(-inf), isinf(nan), " ", isinf([1,inf]) % out: 110 [0, 1]
