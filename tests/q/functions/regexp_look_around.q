print regexprep("price 30 EUR, 40 USD", "\d+(?= USD)", "#")
% out: price 30 EUR, # USD
print regexprep("a1 b2", "(?<=b)\d", "x"), " ", regexprep("a1 b2", "(?<!b)\d", "x")
% out: a1 bx ax b2
print regexp("abab cdcd abcd", "(\w\w)\1", "match")
% out: {"abab", "cdcd"}
print regexp("foobar foobaz", "foo(?!bar)", "start")
% out: [7]
try
    x = regexp(strcat("a", sprintf("%040d", 0), "b"), "(?=x|a)a(0+0+)+c\1", "match")
catch e
    print e
end
% out: 'regexp' gives up: the pattern tries too many ways to match
