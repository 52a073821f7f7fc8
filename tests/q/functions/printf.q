printf("%d-%s\n", 3, "x")
printf("a")
printf("b\n")
% out: 3-x
% out: ab
