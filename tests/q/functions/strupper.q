print strupper("aBc1"), strupper("ü") % out: ABC1Ü
