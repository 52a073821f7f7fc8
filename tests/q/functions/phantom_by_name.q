print isequal(phantom("Modified Shepp-Logan", 16), phantom(16)), size(phantom("Modified Shepp-Logan"))
% out: 1[256, 256]
