% memory: 1000000
a = 0..1000000   % error[Q0310]: out of memory: a range with 1000001 items
