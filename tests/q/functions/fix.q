print fix(-2.7), " ", fix([2.7,-0.5]) % out: -2 [2, 0]
