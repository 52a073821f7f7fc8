print "a" - "b"   % error[Q0324]: '-' is not defined for 'string' and 'string'
