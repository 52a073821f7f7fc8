print axes("Position", [0,0,1,1]).kind
% out: axes
