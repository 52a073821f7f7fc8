% Whether a variable holds an integer is seen after the loop.
x : vec[int] = int([4,40,7])
b = 3.5
for i = 0..2
    if x[i] > b
        b = x[i]
    endif
endfor
print b, type(b)         % out: 40int
b = 3.5
for i = 0..2
    if x[i] > b
        b = x[i]
        p = i + 0.5
    endif
endfor
print type(b), p         % out: int1.5
b = 0.0
p = 7.5
for i = 0..2
    if x[i] > b
        b = x[i]*1.5
        p = i
    endif
endfor
print type(b), type(p)   % out: scalarint
for i = 0..2
    t = i > 1 ? i : 0.5
endfor
print t, type(t)         % out: 2int
for i = 0..2
    t = i > 5 ? i : 0.5
endfor
print t, type(t)         % out: 0.5scalar
% falls back: the for-loop
