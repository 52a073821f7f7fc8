print logm([[1,1,0],[0,1,1],[0,0,1]])
% out: [[0, 1, -0.5],
% out:  [0, 0, 1],
% out:  [0, 0, 0]]
print round(1000*logm([[1,2],[3,4]]))/1000
% out: [[-0.35+2.391j, 0.929-1.094j],
% out:  [1.394-1.641j, 1.044+0.75j]]
A = [[3,1],[1,2]]
print max(max(abs(expm(logm(A))-A))) < 1e-4, isreal(logm(A)), size(logm([]))
% out: 11[0, 0]
try
    logm([[1,0],[0,0]])
catch e
    print e
end
% out: logm: the matrix is singular
