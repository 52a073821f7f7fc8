print imfilter([1,2],[1],[0,0],"wrap")   % error[Q0314]: 'imfilter' knows no boundary mode "wrap"
