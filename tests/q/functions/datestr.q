n = datenum(2020,1,5,15,4,9)
print datestr(n), "|", datestr(datenum(2020,1,5)), "|", datestr(n,"yyyy-mm-dd"), "|", datestr(n,29), "|", datestr(n,"HH:MM PM"), "|", datestr(n,"dddd, d mmmm yy"), "|", datestr([2020,1,5,15,4,9],31)
% out: 05-Jan-2020 15:04:09|05-Jan-2020|2020-01-05|2020-01-05| 3:04 PM|Sunday, S January 20|2020-01-05 15:04:09
