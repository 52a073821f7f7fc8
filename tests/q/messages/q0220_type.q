x : banana = 3   % error[Q0220]: unknown type 'banana'
