% Loops over four and five axes, one of a single iteration, and sums over them.
a = reshape(mod(0..23,7),[2,3,4])
y = zeros(2,3,4,5)
for i=0..1
    for j=0..2
        for k=0..3
            for l=0..4
                y[i,j,k,l] = a[i,j,k] * l + i - j
            end
        end
    end
end
print sum(y), " ", y[1,2,3,4]
s = 0.0
m = -1
for i=0..1
    for j=0..2
        for k=0..3
            for l=0..4
                s += y[i,j,k,l] * (i + 2*j + 3*k + 5*l)
                m = max(m, y[i,j,k,l] - l)
            end
        end
    end
end
print s, " ", m
z = zeros(3,2,4,2,3)
for i=0..2
    for j=0..1
        for k=0..3
            for l=0..1
                for n=0..2
                    z[i,j,k,l,n] = ((i*2+j)*4+k)*6+l*3+n
                end
            end
        end
    end
end
print sum(z), " ", z[2,1,3,1,2], " ", z[0,1,0,1,0]
% out: 600 7
% out: 13260 21
% out: 10296 143 27
