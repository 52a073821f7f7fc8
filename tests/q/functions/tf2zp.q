[z, p, k] = tf2zp([0,2,-2], [1,-0.5])
print round(z .* 1000), round(p .* 1000), k
% out: [1000][500]2
