print erfcinv(0.3), " ", erfcinv([0,1,2]), " ", erfcinv(3), " ", erfc(erfcinv(1.5))
% out: 0.732869 [Inf, 0, -Inf] NaN 1.5
