print erfcx(2), " ", erfcx(30), " ", erfcx(0), " ", erfcx(-1)
% out: 0.255396 0.0187959 1 5.00898
