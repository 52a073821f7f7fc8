% Dates as numbers of days, 1 being the first of January of the year 0, as lists of year, month, day, hour, minute and second, and as texts.

% whether a year has a 29th of February
function y = _leaps(year)
    y = mod(year, 4) == 0 && mod(year, 100) != 0 || mod(year, 400) == 0
end

% the days of a month
% > print eomday(2024, 2)
function n = eomday(year, month)
    n = month == 2 ? 28 + _leaps(year) : month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31
end

% the number of a date: its year, month, day, hour, minute and second, as arguments or as one list
% > printf("%d\n", datenum(2024, 2, 29))
function n = datenum(year, month = 1, day = 1, hour = 0, minute = 0, second = 0)
    if numel(year) > 1
        given = [year[0], year[1], year[2], 0, 0, 0]
        {!serial for}
        for k = 3..min(numel(year), 6) - 1
            given[k] = year[k]
        end
        [year, month, day, hour, minute, second] = given
    endif
    y = int(year) + int(floor((month - 1) / 12))
    m = int(mod(month - 1, 12)) + 1
    % Years that begin in March end with the day that only some have.
    early = m < 3 ? 1 : 0
    a = y - early
    days = 365 * a + int(floor(a / 4)) - int(floor(a / 100)) + int(floor(a / 400)) + int(floor((153 * (m + 12 * early - 3) + 2) / 5))
    n = scalar'double(days) + 60 + day + (scalar'double(hour) * 3600 + minute * 60 + second) / 86400
end

% year, month, day, hour, minute and second of the number of a date
% > print datevec(datenum(2024, 2, 29, 12))
function v = datevec(n)
    day = floor(scalar'double(n))
    seconds = round((n - day) * 86400000) / 1000
    if seconds >= 86400
        day += 1
        seconds = 0.0
    endif
    z = int(day) - 61
    era = int(floor(z / 146097))
    d = z - era * 146097
    of_era = int(floor((d - int(floor(d / 1460)) + int(floor(d / 36524)) - int(floor(d / 146096))) / 365))
    of_year = d - (365 * of_era + int(floor(of_era / 4)) - int(floor(of_era / 100)))
    month = int(floor((5 * of_year + 2) / 153))
    late = month > 9 ? 1 : 0
    hour = int(floor(seconds / 3600))
    minute = int(floor((seconds - 3600 * hour) / 60))
    v = [of_era + era * 400 + late, month + 3 - 12 * late, of_year - int(floor((153 * month + 2) / 5)) + 1, hour, minute, seconds - 3600 * hour - 60 * minute]
end

% the number of this day and time, in UTC
% > print now() > 738000
function n = now()
    n = datenum(1970, 1, 1) + time() / 86400
end

function s = _two(x)
    s = sprintf("%02d", int(x))
end

% a date as text, in a form of d, m, y, H, M, S and letters between, by default dd-mmm-yyyy HH:MM:SS (without the time at midnight); the date is a number or a list
% > print datestr(datenum(2024, 2, 29), "yyyy-mm-dd")
function s = datestr(date, format = "")
    n = numel(date) > 1 ? datenum(date) : scalar'double(date)
    v = datevec(n)
    numbered = {"dd-mmm-yyyy HH:MM:SS", "dd-mmm-yyyy", "mm/dd/yy", "mmm", "m", "mm", "mm/dd", "dd", "ddd", "d", "yyyy", "yy", "mmmyy", "HH:MM:SS", "HH:MM:SS PM", "HH:MM", "HH:MM PM", "QQ-YY", "QQ", "dd/mm", "dd/mm/yy", "mmm.dd,yyyy HH:MM:SS", "mmm.dd,yyyy", "mm/dd/yyyy", "dd/mm/yyyy", "yy/mm/dd", "yyyy/mm/dd", "QQ-YYYY", "mmmyyyy", "yyyy-mm-dd", "yyyymmddTHHMMSS", "yyyy-mm-dd HH:MM:SS"}
    if !ischar(format)
        format = numbered[int(format)]
    elseif strlen(format) == 0
        format = n == floor(n) ? "dd-mmm-yyyy" : "dd-mmm-yyyy HH:MM:SS"
    endif
    afternoon = strfind(format, "PM") >= 0 || strfind(format, "AM") >= 0
    s = ""
    k = 0
    {!serial for}
    while k < strlen(format)
        [text, taken] = _written(format, k, v, n, afternoon)
        s = s + text
        k += taken
    end
end

% what a format asks for at its letter k, and how many letters that are
function [text, taken] = _written(format, k, v, n, afternoon)
    rest = format[k..end]
    months = {"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
    days = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}
    month = months[int(v[1]) - 1]
    day = days[weekday(n) - 1]
    words = {"yyyy", "yy", "mmmm", "mmm", "mm", "m", "dddd", "ddd", "dd", "d", "HH", "MM", "SS", "FFF", "PM", "AM"}
    hour = afternoon ? mod(int(v[3]) + 11, 12) + 1 : int(v[3])
    second = int(floor(v[5] + 0.0005))
    meaning = {sprintf("%04d", int(v[0])), _two(mod(int(v[0]), 100)), month, month[0..2], _two(v[1]), month[0], day, day[0..2], _two(v[2]), day[0], afternoon ? sprintf("%2d", hour) : _two(hour), _two(v[4]), _two(second), sprintf("%03d", int(floor((v[5] - second) * 1000 + 0.5))), v[3] >= 12 ? "PM" : "AM", v[3] >= 12 ? "PM" : "AM"}
    [text, taken] = {format[k], 1}
    for i = 0..numel(words) - 1
        if strncmp(rest, words[i], strlen(words[i])) && strlen(rest) >= strlen(words[i])
            [text, taken] = {meaning[i], strlen(words[i])}
            break
        endif
    end
end

% the day of the week of a date, 1 for Sunday to 7 for Saturday, and its short name
% > print weekday(datenum(2024, 2, 29))
function [day, name] = weekday(date)
    names = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"}
    day = mod(int(floor(date)) - 1 + 6, 7) + 1
    name = names[day - 1]
end

% the number of the date that lies so many units ("year", "month", "day", "hour", "minute", "second") after another
% > printf("%d\n", addtodate(datenum(2024, 1, 31), 1, "month"))
function n = addtodate(date, count, unit)
    match unit with
    | "day" -> n = scalar'double(date) + count
    | "hour" -> n = scalar'double(date) + scalar'double(count) / 24
    | "minute" -> n = scalar'double(date) + scalar'double(count) / 1440
    | "second" -> n = scalar'double(date) + scalar'double(count) / 86400
    | _ ->
        assert(unit == "month" || unit == "year", "addtodate: year, month, day, hour, minute or second")
        v = datevec(date)
        months = int(v[1]) - 1 + (unit == "year" ? 12 * int(count) : int(count))
        year = int(v[0]) + int(floor(months / 12))
        month = int(mod(months, 12)) + 1
        n = datenum(year, month, min(v[2], eomday(year, month))) + date - floor(date)
    end
end
