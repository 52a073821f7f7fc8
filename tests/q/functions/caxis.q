imshow([[0,1],[2,3]],[])
print caxis()
caxis([0,6])
print caxis()
surf([[0,1],[1,2]])
caxis([-2,2])
print caxis()
try
    caxis([1,1])
catch e
    print e
endtry
% out: [0, 3]
% out: [0, 6]
% out: [-2, 2]
% out: 'caxis' needs two limits in ascending order
