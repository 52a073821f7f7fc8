a = zeros(2)
print a[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]   % error[Q0212]: more than 16 indices
% compile
