print round(angle(1j)*1000), " ", angle(5), " ", round(angle(-1)*1000) % out: 1571 0 3142
