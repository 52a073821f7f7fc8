% As statements, load makes variables and save writes them by their names.
x = [1,2,3]
y = 5
save("by_name.mat", "x", "y")
save("one.mat", "y")
x = 0
y = 0
load("by_name.mat", "x")
print x, y
load("by_name.mat", "y", "x")
print x, y
for k = 0..1
    load("one.mat", "y")
    y += k
    print y
endfor
function s = total()
    load("by_name.mat", "x", "y")
    s = sum(x) + y
endfunction
print total()
% A name and a text that is the name of nothing are still a pair.
save("pair.mat", "label", "some text")
print load("pair.mat").label
try
    load("by_name.mat", "z")
catch e
    print e
endtry
% out: [1, 2, 3]0
% out: [1, 2, 3]5
% out: 5
% out: 6
% out: 11
% out: some text
% out: load: 'by_name.mat' has no variable 'z'
