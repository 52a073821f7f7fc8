print zero(tf([1,3],[1,3,2])), " ", numel(zero(tf([2],[1,1])))
% out: [-3] 0
