print validatestring("med", {"mean","median"})
% out: median
