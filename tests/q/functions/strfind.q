print strfind("banana","nan"), " ", strfind("banana","x"), " ", strfind("banana","a") % out: 2 -1 1
