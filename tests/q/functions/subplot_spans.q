figure()
subplot(2,2,[0,1])
plot([0,1,4])
subplot(2,2,2)
plot([1,2])
h = subplot(2,2,3)
bar([3,1])
try
    subplot(2,2,[1,4])
catch e
    print e
end
% out: argument 3 of 'subplot' needs cells of the grid, counted from 0, row by row, not a 'vec'
plot(3+4j, "o")
