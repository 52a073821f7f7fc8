[t,y] = ode45((t,y) -> [y[1],-y[0]], [0,1,2], [1,0])
print round(100*y), t
[t,y] = ode45((t,y) -> -y, [0,1], [1])
print round(1000*y[size(y,0)-1,0]), " ", t[numel(t)-1]
% out: [[100, 0],
% out:  [54, -84],
% out:  [-42, -91]][0, 1, 2]
% out: 368 1
