print inf, " ", -inf, " ", 1/inf, " ", inf-inf % out: Inf -Inf 0 NaN
