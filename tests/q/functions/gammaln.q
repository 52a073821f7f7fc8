print gammaln([0.5,10]), " ", gammaln(3)
% out: [0.572365, 12.8018] 0.693147
