print db2mag(20)
% out: 10
