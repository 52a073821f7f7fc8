print db2pow(20)
% out: 100
