% Seam carving: six times the path of least energy from top to bottom leaves a picture. Beside it seam_carving.py, which prints the same.

% how much each pixel differs from its neighbours
function e = energy(x)
    [rows, columns] = size(x, 0..1)
    e = zeros(rows, columns)
    for i=0..rows-1
        for j=0..columns-1
            across = x[i,min(j+1,columns-1)] - x[i,max(j-1,0)]
            down = x[min(i+1,rows-1),j] - x[max(i-1,0),j]
            e[i,j] = abs(across) + abs(down)
        end
    end
end

% column of the path in each row
function seam = cheapest(e)
    [rows, columns] = size(e, 0..1)
    total = copy(e)
    for i=1..rows-1
        for j=0..columns-1
            best = total[i-1,j]
            best = min(best, total[i-1,max(j-1,0)])
            best = min(best, total[i-1,min(j+1,columns-1)])
            total[i,j] = e[i,j] + best
        end
    end
    seam = vec[int](rows)
    [_, at] = min(total[rows-1,:])
    seam[rows-1] = at
    for i=rows-2..-1..0
        best = at
        for j=max(at-1,0)..min(at+1,columns-1)
            if total[i,j] < total[i,best] || (total[i,j] == total[i,best] && j < best)
                best = j
            endif
        end
        at = best
        seam[i] = at
    end
end

% the picture without a seam
function y = without(x, seam)
    [rows, columns] = size(x, 0..1)
    y = zeros(rows, columns - 1)
    for i=0..rows-1
        for j=0..columns-2
            y[i,j] = x[i,j + (j >= seam[i] ? 1 : 0)]
        end
    end
end

[rows, columns] = [24, 40]
x = zeros(rows, columns)
for i=0..rows-1
    for j=0..columns-1
        x[i,j] = mod(i * i + 3 * j, 17) + (abs(j - 20) < 6 ? 40 : 0) + mod(7 * i + 5 * j * j, 11)
    end
end
for k=1..6
    seam = cheapest(energy(x))
    print "seam ", k, ": from ", seam[0], " to ", seam[rows-1], ", sum ", sum(seam)
    x = without(x, seam)
end
print size(x), " ", sum(x), " ", sum(x[5,:])
% out: seam 1: from 32 to 30, sum 724
% out: seam 2: from 10 to 8, sum 149
% out: seam 3: from 20 to 18, sum 445
% out: seam 4: from 7 to 0, sum 62
% out: seam 5: from 5 to 10, sum 201
% out: seam 6: from 7 to 9, sum 176
% out: [24, 34] 20182 817
