print gcd(12,18), " ", gcd([12,7,0],[18,21,5])
try
    print gcd(1.5,3)
catch e
    print e.message
end
% out: 6 [6, 7, 5]
% out: 'gcd' needs whole numbers from 0, not 1.5
