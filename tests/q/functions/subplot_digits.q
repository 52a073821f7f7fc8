subplot(211); plot([0,1])
subplot(212); bar([1,2])
try
    subplot(21)
catch message
    print message
end
try
    subplot(2,1)
catch message
    print message
end
try
    subplot(219)
catch message
    print message
end
% out: argument 1 of 'subplot' needs three digits: rows, columns and the number of the axes from 1, not a 'int'
% out: 'subplot' needs rows, columns and a number
% out: there are no axes 8 in a grid of 2 by 1
