n = datenum(2024,1,31)
print datestr(addtodate(n,1,"month")), " ", datestr(addtodate(n,-1,"year")), " ", datestr(addtodate(n,1,"day")), " ", datestr(addtodate(n,6,"hour"))
print now() > 738000
% out: 29-Feb-2024 31-Jan-2023 01-Feb-2024 31-Jan-2024 06:00:00
% out: 1
