% Positions that leave an array by little, at lengths that one period suffices for and at those that it does not.
for n = [1, 2, 3, 5, 16, 17, 40]
    g = linspace(1, n * n, n * n)
    g = reshape(g, [n, n])
    a = zeros(n, n)
    b = zeros(n, n)
    c = zeros(n, n)
    for i = 0..n-1
        for j = 0..n-1
            up = mod(i - 1 + n, n)
            s = 0.0
            for d = -3..3
                s += g[up, mod(j + d, n)] * (d + 5)
            end
            a[i, j] = s + g[mod(i + 1, n), periodize(j - 2, n)]
        end
    end
    for i = 0..n-1
        for j = 0..n-1
            b[i, j] = g[mirror_ext(i - 2, n), mirror_ext(j + 3, n)]
        end
    end
    m = n + 3
    for i = 0..n-1
        for j = 0..n-1
            c[i, j] = mod(i - 1, m) + 100 * mod(j + 1, m)
        end
    end
    print n, " ", sum(a), " ", a[n-1, 0], " ", sum(b), " ", b[0, n-1], " ", sum(c), " ", c[0, n-1]
end
% out: 1 36 36 1 1 103 103
% out: 2 360 56 10 1 608 204
% out: 3 1620 173 42 8 1818 305
% out: 5 11700 637 240 12 7565 507
% out: 16 1184256 8062 26816 45 219568 1618
% out: 17 1508580 9157 34476 48 262463 1719
% out: 40 46108800 53662 1166720 117 3311320 4042
