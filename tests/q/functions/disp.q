disp([1,2])
disp("text")
% out: [1, 2]
% out: text
