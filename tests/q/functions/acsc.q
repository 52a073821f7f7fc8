print round(1000*acsc([2,-3])), round(1000*acsc(2))
% out: [524, -340]524
