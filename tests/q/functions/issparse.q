print issparse(speye(2)), issparse(eye(2))
% out: 10
