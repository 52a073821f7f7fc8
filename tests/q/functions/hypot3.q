print hypot3(2,3,6), " ", hypot3([2,0],[3,0],[6,5]), " ", hypot3(1e30,0,1e30) % out: 7 [7, 5] 1.41421e+30
n = zeros(3)
for i=0..2 % par: parallel over (i)
    n[i] = hypot3(i, 2*i, 2*i)
end
print n % out: [0, 3, 6]
