% Connected components of a picture of 0 and 1 by two passes with a table of equal labels; areas, boxes and centroids. Beside it
% connected_components.py, which finds the same by flooding.

% the label that stands for k
function r = root(parent, k)
    r = k
    while parent[r] != r
        r = parent[r]
    end
end

% labels from 1 in the order of the first pixels, neighbours in four directions
function [labels, count] = components(x)
    [rows, columns] = size(x, 0..1)
    labels = mat[int](rows, columns)
    parent = vec[int](rows * columns + 1)
    next = 1
    for i=0..rows-1
        for j=0..columns-1
            if x[i,j] == 0
                continue
            endif
            above = i > 0 ? labels[i-1,j] : 0
            left = j > 0 ? labels[i,j-1] : 0
            if above == 0 && left == 0
                parent[next] = next
                labels[i,j] = next
                next += 1
            elseif above == 0 || left == 0
                labels[i,j] = max(above, left)
            else
                p = root(parent, above)
                q = root(parent, left)
                labels[i,j] = min(p, q)
                parent[max(p,q)] = min(p, q)
            endif
        end
    end
    number = vec[int](next)
    count = 0
    for k=1..next-1
        r = root(parent, k)
        if r == k
            count += 1
            number[k] = count
        else
            number[k] = number[r]
        endif
    end
    for i=0..rows-1
        for j=0..columns-1
            if labels[i,j] > 0
                labels[i,j] = number[labels[i,j]]
            endif
        end
    end
end

[rows, columns] = [32, 48]
x = mat[int](rows, columns)
for i=0..rows-1
    for j=0..columns-1
        x[i,j] = sin(i / 3.0) * cos(j / 4.0) + 0.3 * sin(i * j / 30.0) > 0.25 ? 1 : 0
    end
end
[labels, count] = components(x)
print count, " components, ", sum(x), " pixels"
area = vec[int](count + 1)
si = vec[int](count + 1)
sj = vec[int](count + 1)
for i=0..rows-1
    for j=0..columns-1
        k = labels[i,j]
        area[k] += 1
        si[k] += i
        sj[k] += j
    end
end
for k=1..count
    print k, ": ", area[k], " pixels around ", round(10.0 * si[k] / area[k]), ", ", round(10.0 * sj[k] / area[k])
end
% out: 16 components, 504 pixels
% out: 1: 125 pixels around 101, 84
% out: 2: 89 pixels around 46, 255
% out: 3: 16 pixels around 36, 459
% out: 4: 4 pixels around 88, 463
% out: 5: 78 pixels around 138, 378
% out: 6: 2 pixels around 180, 435
% out: 7: 43 pixels around 234, 20
% out: 8: 83 pixels around 235, 252
% out: 9: 1 pixels around 190, 320
% out: 10: 1 pixels around 190, 420
% out: 11: 14 pixels around 235, 462
% out: 12: 1 pixels around 270, 440
% out: 13: 1 pixels around 280, 420
% out: 14: 23 pixels around 303, 115
% out: 15: 21 pixels around 302, 367
% out: 16: 2 pixels around 310, 435
