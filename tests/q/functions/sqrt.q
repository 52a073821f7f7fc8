print sqrt([4,9,2.25]), " ", sqrt(-1) % out: [2, 3, 1.5] NaN
