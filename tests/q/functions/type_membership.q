print type([1,2],"mat"), type([[1],[2]],"vec"), type(1,"scalar"), type(1.5,"int") % out: 1010
