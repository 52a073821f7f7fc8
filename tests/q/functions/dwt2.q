[a,h,v,d] = dwt2([[1,2],[3,5]])
print round(10*a), " ", round(10*h), " ", round(10*v), " ", round(10*d)
try
    dwt2(eye(2),"coif9")
catch e
    print e.message
end
% out: [55] [-25] [-15] [5]
% out: there is no wavelet "coif9": haar, db2, db3 or db4
