% What meets a condition moves together: sixteen turns at a time on processors that can, one by one elsewhere, to the same result.
function [y, n] = peaks(x)
    % Of three neighbours the largest, with what stands before it.
    y = zeros(numel(x), 2)
    n = 0
    {!serial for}
    for i = 1..numel(x)-2
        if x[i] > x[i-1]
            if x[i] >= x[i+1]
                y[n,0] = i
                y[n,1] = x[i]
                n += 1
            endif
        endif
    endfor
endfunction
function [even, odd, n, m] = parted(x : vec[int])
    even = vec[int](numel(x))
    odd = vec[int](numel(x)+3)
    n = 0
    m = 3
    {!serial for}
    for i = 0..numel(x)-1
        if mod(x[i], 2) == 0
            even[n] = i
            n += 1
        else
            odd[m] = x[i] - m
            m = m + 1
        endif
    endfor
endfunction
function [y : vec[uint8], n, most] = kept(x : vec[int], least : int)
    % Bytes, with an extreme that another variable keeps meanwhile.
    y = vec[uint8](numel(x))
    n = 0
    most = -1
    {!serial for}
    for i = 0..numel(x)-1
        most = max(most, x[i])
        if x[i] >= least && x[i] < least + 100
            y[n] = x[i] - least
            n += 1
        endif
    endfor
endfunction
x = vec[int](1003)
for i = 0..1002
    x[i] = mod(i*i*7 + 13*i, 211)
endfor
[y, n] = peaks(sin(0.3*(0..999)))
print n, " ", y[0,0], " ", y[n-1,0], " ", sum(y[n..999,0])  % out: 48 5 990 0
[even, odd, n, m] = parted(x)
print n, " ", m, " ", sum(even), " ", sum(odd), " ", even[n-1], " ", odd[m-1], " ", odd[0..5]  % out: 508 498 253805 -71337 1000 -302 [0, 0, 0, 26, 115, 46]
[b, n, most] = kept(x, 40)
print n, " ", most, " ", sum(int(b)), " ", b[n-3..n]  % out: 508 209 24499 [18, 84, 47, 0]
% In place: what is read lies behind what is written.
z = copy(x)
n = 0
{!serial for}
for i = 0..numel(z)-1
    if z[i] > 100
        z[n] = z[i]
        n += 1
    endif
endfor
print n, " ", z[0..3], " ", sum(z)  % out: 487 [102, 164, 119, 130] 125758
% More than there is room for.
small = vec[int](20)
n = 0
try
    {!serial for}
    for i = 0..numel(x)-1
        if x[i] > 100
            small[n] = x[i]
            n += 1
        endif
    endfor
catch e
    print "too many"  % out: too many
endtry
