print fliplr("stressed"), " ", fliplr("für"), "|", fliplr(""), "|"
word = "level"
print word == fliplr(word)
% out: desserts rüf||
% out: 1
