print clamp(15,10), " ", clamp(-3,10), " ", clamp([-1,4,11],10) % out: 10 0 [0, 4, 10]
