print strsplit("a,,b",",","CollapseDelimiters",1), strsplit("a,,b",","), strsplit("a  b ;c",{" ",";"},"CollapseDelimiters",true)
print strsplit("  a "," ","CollapseDelimiters",true), strsplit("ab","-","collapsedelimiters",0)
% out: {"a", "b"}{"a", "", "b"}{"a", "b", "c"}
% out: {"", "a", ""}{"ab"}
try
    print strsplit("a",",","Collapse",1)
catch e
    print e
end
% out: argument 3 of 'strsplit' needs "CollapseDelimiters" and whether they collapse, not a 'string'
