if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1
if 1   % error[Q0111]: nested more than 200 levels deep
if 1
if 1
if 1
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
endif
% compile
