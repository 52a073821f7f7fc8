print logdet([[2,0],[0,3]]), " ", logdet(eye(3)), " ", round(1000*logdet([[2,1],[1,3]]))
% out: 1.79176 0 1609
