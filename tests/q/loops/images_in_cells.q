% Images out of cells: what a variable holds is seen when the loop over it begins.
imgs = cell(3)
for k=0..2
    imgs[k] = reshape(0..11,[3,4])*k
end
imgs[1] = int(imgs[1])
acc = zeros(3,4)
f = x -> 2*x+1
for k=0..2
    im = imgs[k]
    for i=0..2
        for j=0..3
            acc[i,j] += f(im[i,j])
        end
    end
end
print acc
% One that is what the loop writes.
things = {acc, copy(acc)}
for k=0..1
    t = things[k]
    for i=0..1
        for j=1..3
            acc[i,j] = t[i,j-1] + 1
        end
    end
    print acc
end
% Functions, where calls have no brackets, and one that prints.
calls = {x -> x+1, x -> x*x}
for k=0..1
    g = calls[k]
    y = zeros(3)
    for i=0..2
        y[i] = g(i)
    end
    print y
end
% A number, and what has too few elements.
few = {5, [1,2]}
for k=0..1
    e = few[k]
    y = zeros(3)
    try
        for i=0..2
            y[i] = e[i]
        end
    catch err
        print "too few"
    end
    print y
end
% out: [[3, 9, 15, 21],
% out:  [27, 33, 39, 45],
% out:  [51, 57, 63, 69]]
% out: [[3, 4, 5, 6],
% out:  [27, 28, 29, 30],
% out:  [51, 57, 63, 69]]
% out: [[3, 4, 10, 16],
% out:  [27, 28, 34, 40],
% out:  [51, 57, 63, 69]]
% out: [1, 2, 3]
% out: [0, 1, 4]
% out: [5, 0, 0]
% out: [1, 2, 0]
% falls back: the for-loop
