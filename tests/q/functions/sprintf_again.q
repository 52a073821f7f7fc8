print sprintf("%s=%d;","a",1,"b",2), " ", sprintf("%d:%d ",1,2,3), " ", sprintf("%s|","a","b","c")
print sprintf("%d",1.5), " ", sprintf("%d",3.0), " ", sprintf("%*d|%-*d|",5,3,4,7), " ", sprintf("%i",-2.25)
try
    print sprintf("no conversion",1)
catch e
    print e
endtry
% out: a=1;b=2; 1:2 3: a|b|c|
% out: 1.5 3     3|7   | -2.25
% out: the format "no conversion" prints none of 1 values
