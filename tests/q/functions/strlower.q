print strlower("AbC1")               % out: abc1
