c = textscan(sprintf("name,value\nfirst,1.5\nsecond,-2e3\n,\n"), "%s %f", "Delimiter", ",", "HeaderLines", 1)
print c[0], c[1]
% out: {"first", "second", ""}[1.5, -2000, NaN]
c = textscan(sprintf("1 2 3\n4 5 6"), "%f %*d %d")
print c[0], c[1], type(c[1])
% out: [1, 4][3, 6]vec[int]
c = textscan(sprintf("x=1;y=2\nx=3;y=-4.5"), "x=%f y=%f", "Delimiter", ";")
print c
% out: {[1, 3], [2, -4.5]}
c = textscan("1 2 3 4 5 6", "%f", 4)
print c[0]
% out: [1, 2, 3, 4]
c = textscan(sprintf("""a, b"" 7\nc 8"), "%q %f")
print c
% out: {{"a, b", "c"}, [7, 8]}
c = textscan(sprintf("1 inf\n-Inf NaN\n3 oops"), "%f %f")
print c[0], c[1]
% out: [1, -Inf, 3][Inf, NaN]
f = fopen("q_scan.txt", "w")
fprintf(f, "skip\n1\t2\n3\t4\n")
fclose(f)
f = fopen("q_scan.txt")
print fgetl(f)
c = textscan(f, "%f %f", "Delimiter", "\t")
fclose(f)
print c[0], c[1]
% out: skip
% out: [1, 3][2, 4]
