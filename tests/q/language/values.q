% Numbers, promotion and printing.
print 7/2, " ", 6/2, " ", 7.0        % out: 3.5 3 7
print type(1+1.0), " ", type(1+1), " ", type(1+1j)   % out: scalar int cscalar
print int64(3000000000.0) + 1        % out: 3000000001
print type(int64(1)), " ", type(uint8(3))            % out: int64 uint8
print 2^10, " ", 2^0.5 > 1.41, " ", 2^-1             % out: 1024 1 0.5
print -7.5, " ", 1e20, " ", 1e-7, " ", 0.1           % out: -7.5 1e+20 1e-07 0.1
print mod(-7,3), " ", mod(7,-3), " ", mod(-5.5,2)    % out: 2 -2 0.5
print and(7,12), or(1,6), xor(5,1)                   % out: 474
x = 5; x += 2; x *= 3
print x                              % out: 21
print uint8'sat(300), " ", uint8'unchecked(300), " ", int8'unchecked(200)   % out: 255 44 -56
print max(3, 7.5), " ", min([3,1,2]), " ", max([1,5],[4,2])                 % out: 7.5 1 [4, 5]
print 1 < 2, 2 <= 1, 3 == 3.0, 3 != 4                % out: 1011
