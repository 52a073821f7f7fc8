print isstrprop("a1 B!","alpha"), isstrprop("a1 B!","digit"), isstrprop("a1 B!","wspace"), isstrprop("a1 B!","upper"), isstrprop("a1 B!","punct"), isletter("a1")
% out: [1, 0, 0, 1, 0][0, 1, 0, 0, 0][0, 0, 1, 0, 0][0, 0, 0, 1, 0][0, 0, 0, 0, 1][1, 0]
