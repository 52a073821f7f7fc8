print pi, " ", round(sin(pi)*1000)   % out: 3.14159 0
