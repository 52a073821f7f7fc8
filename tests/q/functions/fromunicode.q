print fromunicode("Aü")              % out: [65, 252]
