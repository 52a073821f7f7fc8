print strreplace("a-b-c","-","+"), strreplace("abc","x","y") % out: a+b+cabc
