print eomday(2024,2), eomday(1900,2), eomday(2000,2), eomday(2023,12), eomday(2023,4)
% out: 2928293130
