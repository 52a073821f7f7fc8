print roots([1,-3,2]), " ", roots([1,0,1]), " ", roots([0,1,-2,0]), " ", numel(roots([5]))
% out: [1, 2] [0-1j, 0+1j] [2, 0] 0
r = roots([1,complex(0,1),2])
print max(abs(r.^2 + complex(0,1).*r + 2)) < 0.0001
% out: 1
