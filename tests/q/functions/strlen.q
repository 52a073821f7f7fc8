print strlen("abc"), strlen(""), strlen("äöü") % out: 303
