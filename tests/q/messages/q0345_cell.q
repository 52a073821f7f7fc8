c = vec[vec](2)
c[0] = "a"   % error[Q0345]: cannot store a 'string' in
