% Complex numbers are points, a number over many places a level; a colour may stand behind a property; saveas takes a form.
plot([1+2j, 3-1j], "o")
plot([1,2,3], 5)
stem([1,2], [3,4], "filled", "r")
scatter([1,2], [3,4], "filled", "black")
f = plot([1,2,3])
saveas(f, "squares", "png")
print exist("squares.png") > 0
[x, y] = fplot(t -> t^2, [0, 2])
print numel(x), " ", y[200]
print dec2bin([1,5,2]), dec2bin(6), dec2bin([3,1], 4)
% out: 1
% out: 201 4
% out: {"001", "101", "010"}110{"0011", "0001"}
