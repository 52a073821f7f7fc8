print nullptr, " ", nullptr == nullptr % out: nullptr 1
