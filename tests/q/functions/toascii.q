print toascii([72,105]) + "!"        % out: Hi!
