print isscalar(1), isscalar(1.5), isscalar(1j), isscalar([1]), isscalar("a") % out: 11100
