A = eye(2)
if A == A   % error[Q0380]: condition must be a scalar, not a 'mat[int]'
    print "same"
endif
