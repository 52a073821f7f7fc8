for path = {"a/b.c/x.tar.gz", "name", "/x", "C:\d\e.png"}
    [d,n,e] = fileparts(path)
    print d, "|", n, "|", e
endfor
% out: a/b.c|x.tar|.gz
% out: |name|
% out: |x|
% out: C:\d|e|.png
