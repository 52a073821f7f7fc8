print sprintf("[%5s|%-5s|%.2s]", "ab", "ab", "abcdef")
% out: [   ab|ab   |ab]
