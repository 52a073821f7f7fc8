print cast(300,"uint8'sat"), " ", cast(-5,"uint8'sat"), " ", cast(300,"uint8'unchecked") % out: 255 0 44
