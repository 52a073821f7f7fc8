% Without a page there are no displays.
print form_display(-1) % out: -1
