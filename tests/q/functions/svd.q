print round(svd([[3,0],[0,4]])), " ", round(svd([[1,1],[1,1]])) % out: [4, 3] [2, 0]
