surf([[0,1],[1,2]])
lighting("gouraud")
