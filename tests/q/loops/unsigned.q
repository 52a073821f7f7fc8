% Elements of the type uint32: what an int holds is computed on the device, the rest on the host, to the same result.
function [] = __kernel__ count(h : vec[uint32], x : vec[uint32], pos : int)
    h[mod(x[pos], 4)] += 1
endfunction
function [] = __kernel__ small(y : vec, x : vec, pos : int)
    b : uint8'sat = int(x[pos])
    c : int16 = b * 3
    y[pos] = c + uint8(pos) + uint8'sat(x[pos] * 7.7) + int8'unchecked(pos * 100)
endfunction
x = vec[uint32](8)
h = vec[uint32](4)
for i = 0..7      % par: parallel over (i)
    x[i] = i*i*1000 + i
endfor
print x           % out: [0, 1001, 4002, 9003, 16004, 25005, 36006, 49007]
parallel_do(8, h, x, count)
for i = 0..7      % par: parallel over (i), accumulates into h
    h[mod(i, 4)] += x[i]
endfor
print h           % out: [16006, 26008, 40010, 58012]
s = 0
for i = 0..7      % par: parallel over (i), reduction(+) on s
    s += x[i]
endfor
print s           % out: 140028
% Greater ones are stored, and read by the host.
z = vec[uint32](8)
for i = 0..7      % par: parallel over (i)
    z[i] = 4.0e9 - i*1048576.0*512     % warning[Q0360]: type conversion
endfor
print z           % out: [4000000000, 3463129088, 2926258176, 2389387264, 1852516352, 1315645440, 778774528, 241903616]
for i = 0..7      % par: parallel over (i)
    z[i] = z[i] + 5
endfor
print z[0], " ", z[7]       % out: 4000000005 241903621
a = vec[uint32'sat](4)
b = vec[uint32'unchecked](4)
for i = 0..3      % par: parallel over (i)
    a[i] = (i - 1)*3.0e9    % warning[Q0360]: type conversion
    b[i] = 1 - i
endfor
print a, b        % out: [0, 0, 3000000000, 4294967295][1, 0, 4294967295, 4294967294]
try
    for i = 0..7
        x[i] = 5 - i
    endfor
catch e
    print e.message         % out: value -1 does not fit in uint32
endtry
try
    for i = 0..7
        h[0] += 3 - 2*i
        h[0] += -16007*mod(i, 2)
    endfor
catch e
    print e.message         % out: value -1 does not fit in uint32
endtry
y = zeros(8)
parallel_do(8, y, [-4.0, 2.7, 300, 1, 2, 3, 4, 5], small)
print y           % out: [0, 127, 966, 57, -87, 25, 136, -8]
