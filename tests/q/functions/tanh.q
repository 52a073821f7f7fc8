print tanh(0), " ", round(tanh(1)*1000), " ", tanh(100) % out: 0 762 1
