print strcmpi("aBc","AbC"), strcmpi("a","b")
% out: 10
