print uint16(65535), " ", uint16'unchecked(65536) % out: 65535 0
