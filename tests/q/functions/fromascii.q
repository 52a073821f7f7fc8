print fromascii("AB z")              % out: [65, 66, 32, 122]
