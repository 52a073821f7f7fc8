print numel(form_event(0)), numel(form_event(5))
% out: 00
