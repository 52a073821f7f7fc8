polarplot(linspace(0,6.28,50), ones(1,50))
