% Without a page there is nobody to use a control.
print form_control(-1, "slider", "gain", 3, 0, 10), " ", form_control(4, "heading", "more", 0, 0, 1)
% out: -1 -1
try
    n = form_control(-1, "wheel", "", 0, 0, 1)
catch e
    print e
end
% out: form_control: there is no control 'wheel'
