audiowrite("q_a.wav", [0,0.5,-0.5,1,-1], 8000)
[y, rate] = audioread("q_a.wav")
print y, " ", rate
% out: [0, 0.5, -0.5, 0.999969, -1] 8000
print type(y)
% out: vec
