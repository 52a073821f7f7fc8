% A variable that only stores of fields make begins as an object.
point.x = 3     % warning[Q0129]: 'point' begins as an object without fields
point.y = 4
print point.x + point.y
% out: 7
