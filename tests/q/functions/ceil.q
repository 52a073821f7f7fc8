print ceil(3.2), " ", ceil([-3.2,5]) % out: 4 [-3, 5]
