print isletter("a1B "), " ", isletter("")
% out: [1, 0, 1, 0] []
