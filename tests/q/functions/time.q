print time() > 1.7e9                 % out: 1
