print idivide(7,2), " ", idivide(-7,2)                                % out: 3 -3
print idivide(-7,2,"floor"), idivide(-7,2,"ceil"), idivide(-7,2,"round")  % out: -4-3-4
print idivide([7,8,-9],2), " ", idivide(100,[3,7])                    % out: [3, 4, -4] [33, 14]
print idivide(2147483647, 2), " ", idivide(2147483647, 3, "ceil")     % out: 1073741823 715827883
for how = {"up", "fix"}
   try
      print idivide(7,2,how)
   catch ex
      print ex
   endtry
endfor
% out: argument 3 of 'idivide' needs "fix", "floor", "ceil" or "round", not a 'string'
% out: 3
try
   print idivide(7,0)
catch ex
   print ex             % out: idivide by the integer 0
endtry
try
   print idivide(7.5,2)
catch ex
   print ex             % out: argument 1 of 'idivide' needs whole numbers, not a 'scalar'
endtry
y = zeros(20)
for i = 0..19           % par: parallel over (i)
   y[i] = mod(idivide(2147483600 + i, 19), 1000)
endfor
print y[0], " ", type(idivide(1,1))  % out: 452 int
import "inttypes.q"
print idivide(int64(1000000000000), 7), " ", idivide(-int64(1000000000000), int64(7), "floor")  % out: 142857142857 -142857142858
print type(idivide(int64(7), 2)), " ", idivide(7, int64(1000000000000))        % out: int64 0
d = vec[int64](4)
for i = 0..3            % par: parallel over (i)
   d[i] = idivide(int64(i) - int64(1000000000000), int64(i + 1))
endfor
print d                                                                % out: [-1000000000000, -499999999999, -333333333332, -249999999999]
% falls back on qpu: the for-loop
