[word, rest] = strtok("  left right")
print word, "|", rest
[word, rest] = strtok("a,b;c", ",;")
print word, rest
% out: left| right
% out: a,b;c
