print size(bone(8))
% out: [8, 3]
