% What is not known to be a number may be an array: its magnitude is no number either, and no index is judged by it.
function y = column(n)
    y = zeros(n,1)
    for i=0..n-1
        y[i,0] = -i
    end
end
z = abs(column(4)) .* ones(1,3)
print z[3,0] % out: 3
