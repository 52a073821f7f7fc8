printf("%d %d %.4f\n", datenum(2020,1,1), datenum([1970,1,1]), datenum(2024,2,29,12,30,0))
printf("%d %d\n", datenum(2023,14,1), datenum(2000,0,1))
print datevec(datenum(2024,2,29,12,30,15.5)), " ", datevec(1), " ", datevec(datenum(1999,12,31,23,59,59))
% out: 737791 719529 739311.5208
% out: 739283 730455
% out: [2024, 2, 29, 12, 30, 15.5] [0, 1, 1, 0, 0, 0] [1999, 12, 31, 23, 59, 59]
