print sprintf("%.2f %5d|%-5d|%05d", pi, 42, 42, 42)
% out: 3.14    42|42   |00042
