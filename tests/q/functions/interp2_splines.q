x = [0,1,2,4]
y = [0,1,3]
V = transpose([[1,2,4]])*[[1,3,2,5]] + [[0,1,0,2],[1,0,0,1],[2,2,1,0]]
print interp2(x,y,V,[0.5,3.3,0,4],[0.2,2.5,0,3],"spline"), " ", interp2(x,y,V,9,0,"spline")
% out: [3.82708, 7.26872, 1, 20] NaN
print interp2([[1,2],[3,4]]), " ", size(interp2(V,3)), " ", interp2([[1,2,4],[3,4,7]],1,"nearest"), " ", interp2([[5]],2)
% out: [[1, 1.5, 2],
% out:  [2, 2.5, 3],
% out:  [3, 3.5, 4]] [17, 25] [[1, 2, 2, 4, 4],
% out:  [3, 4, 4, 7, 7],
% out:  [3, 4, 4, 7, 7]] [5]
try
    print interp2(V,-1)
catch e
    print e
end
% out: argument 2 of 'interp2' needs how often distances are halved, 0 to 20, not a 'int'
print interp2([1,2]), " ", interp2(transpose([1,3]),1,"spline"), " ", size(interp2(ones(3,4),0))
% out: [1, 1.5, 2] [[1],
% out:  [2],
% out:  [3]] [3, 4]
