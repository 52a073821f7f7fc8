print round(1000*csch([1,-2])), round(1000*csch(1))
% out: [851, -276]851
