a = vec[int8](2)
a[0] = 200   % error[Q0330]: value 200 does not fit in int8
