print char([72,105])
% out: Hi
