print isempty([]), isempty(3..1), isempty(""), isempty([0]), isempty("a") % out: 11100
