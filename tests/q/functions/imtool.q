imtool(eye(4))
