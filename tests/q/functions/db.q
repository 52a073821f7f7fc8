print db(10)
% out: 20
