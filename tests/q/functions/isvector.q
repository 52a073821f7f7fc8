print isvector([1,2]), isvector([[1],[2]]), isvector(eye(2)), isvector(1) % out: 1000
