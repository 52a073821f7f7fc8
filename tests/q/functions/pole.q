print sort(real(pole(tf([1,3],[1,3,2])))), " ", numel(pole(tf(5)))
% out: [-2, -1] 0
