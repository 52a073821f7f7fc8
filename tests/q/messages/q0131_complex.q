% An array of zeros into which complex values are stored has complex elements.
z = zeros(1,4)     % warning[Q0131]: 'z' is made complex, because complex values are stored in it
z[0] = 1+2j
print z
% out: [1+2j, 0+0j, 0+0j, 0+0j]
