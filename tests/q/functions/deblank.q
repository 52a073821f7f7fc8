print deblank("text  ") + "."
% out: text.
