% args: -double
% Wavelet denoising: a signal with jumps and noise, four levels of Daubechies' wavelet with four coefficients, soft thresholds. Beside it
% wavelet_denoising.py, which prints the same.

% one level: rough and fine part of a signal whose ends meet
function [a, d] = split(x, h, g)
    n = numel(x)
    half = idivide(n, 2)
    a = zeros(half)
    d = zeros(half)
    for i=0..half-1
        s = 0.0
        t = 0.0
        for k=0..numel(h)-1
            s += h[k] * x[mod(2*i+k,n)]
            t += g[k] * x[mod(2*i+k,n)]
        end
        a[i] = s
        d[i] = t
    end
end

% the signal of both parts
function x = join(a, d, h, g)
    half = numel(a)
    x = zeros(2 * half)
    for i=0..half-1
        for k=0..numel(h)-1
            x[mod(2*i+k,2*half)] += h[k] * a[i] + g[k] * d[i]
        end
    end
end

% values nearer to 0 by t
function y = soft(x, t)
    y = sign(x) .* max(abs(x) - t, 0)
end

root = sqrt(3.0)
h = [1 + root, 3 + root, 3 - root, 1 - root] ./ (4 * sqrt(2.0))
g = [h[3], -h[2], h[1], -h[0]]
n = 256
clean = zeros(n)
noisy = zeros(n)
state = 12345
for i=0..n-1
    clean[i] = (i < 80 ? 1.0 : i < 170 ? 3.0 : 0.5) + 0.5 * sin(i / 20.0)
    state = mod(state * 169 + 7, 29282)
    noisy[i] = clean[i] + 0.6 * (state / 29282.0 - 0.5)
end
levels = 4
rough = noisy
fine = cell(levels)
for k=0..levels-1
    [rough, fine[k]] = split(rough, h, g)
end
sigma = median(abs(fine[0])) / 0.6745
t = sigma * sqrt(2 * log(n * 1.0))
kept = 0
for k=0..levels-1
    fine[k] = soft(fine[k], t)
    kept += sum(fine[k] != 0)
end
x = rough
for k=levels-1..-1..0
    x = join(x, fine[k], h, g)
end
rms = e -> sqrt(mean(e .^ 2))
print "noise ", round(rms(noisy - clean) * 100000) / 100000, ", left ", round(rms(x - clean) * 100000) / 100000
print "threshold ", round(t * 100000) / 100000, ", ", kept, " coefficients kept"
print round(x[0..7] .* 1000), " ", round(x[78..83] .* 1000)
% out: noise 0.17014, left 0.1229
% out: threshold 0.58186, 9 coefficients kept
% out: [711, 805, 871, 945, 991, 1044, 1105, 1164] [692, 630, 1864, 2206, 2285, 2434]
% falls back on qpu: the for-loop
