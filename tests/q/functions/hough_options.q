x = zeros(20, 20)
x[5, :] = 1
[votes, theta, rho] = hough(x, "RhoResolution", 0.5, "Theta", -90..0.5..89.5)
print size(votes), numel(theta), " ", rho[1] - rho[0]
[most, at] = max(reshape(votes, [1, numel(votes)]))
print most, " ", abs(rho[int(floor(at / numel(theta)))]), " ", abs(theta[int(mod(at, numel(theta)))])
% out: [109, 360]360 0.5
% out: 20 5 90
