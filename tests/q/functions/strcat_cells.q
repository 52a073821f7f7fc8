print strcat({"a","b"},"x"), " ", strcat("p",{"a"},"q"), " ", strcat({"a","b"},{"c","d"})
try
    print strcat({"a","b"},{"c","d","e"})
catch e
    print e
endtry
% out: {"ax", "bx"} {"paq"} {"ac", "bd"}
% out: 'strcat' of cells with 3 and 2 elements
