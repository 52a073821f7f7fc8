print cast(1,"banana")   % error[Q0220]: unknown type 'banana'
