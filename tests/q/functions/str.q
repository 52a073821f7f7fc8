print str([1,2]) + "!", " ", str(2.5) % out: [1, 2]! 2.5
