[d, name] = weekday(datenum(2024,2,29))
print d, " ", name, " ", weekday(datenum(2024,3,3)), eomday(2024,2), eomday(1900,2), eomday(2023,12)
% out: 5 Thu 1292831
