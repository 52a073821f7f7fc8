wavwrite([0,0.5,-0.5], 8000, "q_older.wav")
[y,fs] = audioread("q_older.wav")
print y, " ", fs
% out: [0, 0.5, -0.5] 8000
