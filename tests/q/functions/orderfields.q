print fieldnames(orderfields(struct("b",1,"a",2)))
% out: {"a", "b"}
