print xcorr([1,2,3],1), round(xcorr([1,2,3],"coeff")[2]), numel(xcorr([1,2,3],[1,2,3],1,"biased")), xcorr([1,2,3],[])
[c,l] = xcorr([1,2,3,4],1,"biased")
print c, l
% out: [8, 14, 8]13[3, 8, 14, 8, 3]
% out: [5, 7.5, 5][-1, 0, 1]
