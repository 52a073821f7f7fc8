print regexprep("a1b22","[0-9]+","#"), " ", regexprep("ab","(a)(b)","$2$1"), " ", regexprep("aA","a","x","ignorecase"), " ", regexprep("aa","a","x","once"), " ", regexprep({"a1","b"},"[0-9]","")
try
    print regexprep("a","(","x")
catch e
    print e.message
end
% out: a#b# ba xx xa {"a", "b"}
% out: 'regexprep' cannot read the pattern "("
