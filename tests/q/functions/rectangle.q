rectangle("Position", [1,1,3,2])
