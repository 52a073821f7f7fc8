print round(eig([[2,1],[0,2]])*100)  % out: [200, 200]
